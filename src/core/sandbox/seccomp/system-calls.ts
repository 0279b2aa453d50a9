import { memoize } from '../../../util/memoize.ts'
import { ARM64, numberCalls, X64 } from './system-call-names.ts'

/** System calls of one architecture, as the filter sees them. */
export interface SystemCalls {
  /** AUDIT_ARCH constant in `seccomp_data.arch`. */
  audit: number
  /** First number of another ABI. */
  foreignFrom: number | undefined
  numbers: ReadonlyMap<string, number>
}

/** Read when a filter is built: most commands need none, and no machine needs both. */
const readNumbers = memoize(({ table }: { table: string }) => numberCalls(table))

function describeCalls(calls: Omit<SystemCalls, 'numbers'>, table: string): SystemCalls {
  const key = { table }
  return {
    ...calls,
    get numbers() {
      return readNumbers(key)
    },
  }
}

/** By Node's architecture name. */
export const SYSTEM_CALLS: Readonly<Record<string, SystemCalls>> = {
  x64: describeCalls({ audit: 0xc000003e, foreignFrom: 0x40000000 }, X64),
  arm64: describeCalls({ audit: 0xc00000b7, foreignFrom: undefined }, ARM64),
}

/**
 * A run may use these, and no others: what programs of all languages use and what engines of containers allow without a
 * right. The filter reads the arguments of some. Not in the list are calls for administrators, for other processes and
 * for namespaces, asynchronous I/O whose limits belong to the whole machine, and calls that had holes and few users.
 */
const ALLOWED = new Set(
  `
  accept accept4 access adjtimex alarm arch_prctl bind brk capget capset chdir chmod chown
  clock_getres clock_gettime clock_nanosleep clone close close_range connect copy_file_range creat
  dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd
  eventfd2 execve execveat exit exit_group faccessat faccessat2 fadvise64 fallocate fchdir fchmod
  fchmodat fchmodat2 fchown fchownat fcntl fdatasync fgetxattr file_getattr flistxattr flock fork
  fremovexattr fsetxattr fstat fstatfs fsync ftruncate futex futex_requeue futex_wait futex_waitv
  futex_wake futimesat get_robust_list getcpu getcwd getdents getdents64 getegid geteuid getgid
  getgroups getitimer getpeername getpgid getpgrp getpid getppid getpriority getrandom getresgid
  getresuid getrlimit getrusage getsid getsockname getsockopt gettid gettimeofday getuid getxattr
  getxattrat inotify_add_watch inotify_init inotify_init1 inotify_rm_watch ioctl ioprio_get
  ioprio_set kill landlock_add_rule landlock_create_ruleset landlock_restrict_self lchown lgetxattr
  link linkat listen listxattr listxattrat llistxattr lremovexattr lseek lsetxattr lstat madvise
  map_shadow_stack membarrier memfd_create mincore mkdir mkdirat mknod mknodat mlock mlock2 mlockall
  mmap mprotect mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink mremap mseal
  msgctl msgget msgrcv msgsnd msync munlock munlockall munmap nanosleep newfstatat open openat pause
  personality pidfd_open pidfd_send_signal pipe pipe2 pkey_alloc pkey_free pkey_mprotect poll ppoll
  prctl pread64 preadv preadv2 prlimit64 pselect6 pwrite64 pwritev pwritev2 read readahead readlink
  readlinkat readv recvfrom recvmmsg recvmsg removexattr removexattrat rename renameat renameat2
  restart_syscall rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn
  rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min
  sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval
  sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield seccomp select
  semctl semget semop semtimedop sendfile sendmmsg sendmsg sendto set_robust_list set_tid_address
  setfsgid setfsuid setgid setgroups setitimer setpgid setpriority setregid setresgid setresuid
  setreuid setrlimit setsid setsockopt setuid setxattr setxattrat shmat shmctl shmdt shmget shutdown
  sigaltstack signalfd signalfd4 socket socketpair splice stat statfs statx symlink symlinkat sync
  sync_file_range syncfs sysinfo tee tgkill time timer_create timer_delete timer_getoverrun
  timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime times tkill truncate
  umask uname unlink unlinkat utime utimensat utimes vfork wait4 waitid write writev`
    .trim()
    .split(/\s+/),
)

/**
 * Refused as if this kernel had no such calls, so that libraries use others: the contexts of asynchronous I/O are counted
 * over the whole machine, in fs.aio-nr, and the flags of clone3 and openat2 are in memory, which a filter cannot read.
 */
const ABSENT: ReadonlySet<string> = new Set([
  'io_setup',
  'io_destroy',
  'io_getevents',
  'io_submit',
  'io_cancel',
  'io_pgetevents',
  'clone3',
  'openat2',
])

export type CallVerdict = 'allowed' | 'refused' | 'absent'

export function classifyCall(name: string): CallVerdict {
  if (ALLOWED.has(name)) return 'allowed'
  return ABSENT.has(name) ? 'absent' : 'refused'
}
