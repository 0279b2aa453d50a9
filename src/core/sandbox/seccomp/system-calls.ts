/** System call numbers of one architecture. */
export interface SystemCalls {
  /** AUDIT_ARCH constant in `seccomp_data.arch`. */
  audit: number
  /** First number of another ABI. */
  foreignFrom: number | undefined
  denied: Readonly<Record<string, number>>
  /** Refused as if this kernel had no such calls, so that libraries use others. */
  absent: Readonly<Record<string, number>>
  clone: number
  clone3: number
  socket: number
  socketpair: number
  ioctl: number
  personality: number
  prlimit: number
  openat2: number
  shmget: number
  /** Further calls that create memory which belongs to no process. */
  unmappedMemory: Readonly<Record<string, number>>
  /**
   * System calls that can take huge pages, which no memory limit of a control group counts: the index
   * of their flags, and the flag for it.
   */
  hugePages: readonly { number: number; flags: number; flag: number; errno: number }[]
  /** System calls that set a file mode, by the index of the mode argument. */
  modes: Readonly<Record<number, readonly number[]>>
  /**
   * System calls that set a mode when they create a file, with the indices of their flags and mode.
   */
  makers: readonly { number: number; flags: number; mode: number }[]
}

/** First number after this list. Newer calls have not been reviewed. */
export const UNKNOWN_FROM = 470

/** Since Linux 5.1, new calls have the same number on every architecture. */
const COMMON = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  pidfd_getfd: 438,
  process_madvise: 440,
  mount_setattr: 442,
  quotactl_fd: 443,
  memfd_secret: 447,
  process_mrelease: 448,
  cachestat: 451,
  statmount: 457,
  listmount: 458,
  lsm_get_self_attr: 459,
  lsm_set_self_attr: 460,
  lsm_list_modules: 461,
  open_tree_attr: 467,
}

const ENOMEM = 12
const EINVAL = 22
const EPERM = 1

/** Errors as of a kernel without free huge pages, or of one that keeps them from this user. */
const HUGE_PAGES = {
  mmap: { flags: 3, flag: 0x40000, errno: ENOMEM },
  memfd_create: { flags: 1, flag: 4, errno: EINVAL },
  shmget: { flags: 2, flag: 0o4000, errno: EPERM },
}

const X64: SystemCalls = {
  audit: 0xc000003e,
  foreignFrom: 0x40000000,
  denied: {
    ...COMMON,
    ptrace: 101,
    syslog: 103,
    uselib: 134,
    ustat: 136,
    sysfs: 139,
    vhangup: 153,
    modify_ldt: 154,
    pivot_root: 155,
    _sysctl: 156,
    chroot: 161,
    acct: 163,
    settimeofday: 164,
    mount: 165,
    umount2: 166,
    swapon: 167,
    swapoff: 168,
    reboot: 169,
    sethostname: 170,
    setdomainname: 171,
    iopl: 172,
    ioperm: 173,
    init_module: 175,
    delete_module: 176,
    quotactl: 179,
    nfsservctl: 180,
    lookup_dcookie: 212,
    clock_settime: 227,
    kexec_load: 246,
    add_key: 248,
    request_key: 249,
    keyctl: 250,
    migrate_pages: 256,
    unshare: 272,
    move_pages: 279,
    perf_event_open: 298,
    fanotify_init: 300,
    fanotify_mark: 301,
    name_to_handle_at: 303,
    open_by_handle_at: 304,
    clock_adjtime: 305,
    setns: 308,
    process_vm_readv: 310,
    process_vm_writev: 311,
    kcmp: 312,
    finit_module: 313,
    kexec_file_load: 320,
    bpf: 321,
    userfaultfd: 323,
  },
  // Contexts are counted over the whole machine, in fs.aio-nr.
  absent: {
    io_setup: 206,
    io_destroy: 207,
    io_getevents: 208,
    io_submit: 209,
    io_cancel: 210,
    io_pgetevents: 333,
  },
  clone: 56,
  clone3: 435,
  socket: 41,
  socketpair: 53,
  ioctl: 16,
  personality: 135,
  prlimit: 302,
  openat2: 437,
  shmget: 29,
  unmappedMemory: { semget: 64, msgget: 68, memfd_create: 319 },
  hugePages: [
    { number: 9, ...HUGE_PAGES.mmap },
    { number: 319, ...HUGE_PAGES.memfd_create },
    { number: 29, ...HUGE_PAGES.shmget },
  ],
  // creat, chmod, fchmod, mknod; mknodat, fchmodat, fchmodat2.
  modes: { 1: [85, 90, 91, 133], 2: [259, 268, 452] },
  makers: [
    { number: 2, flags: 1, mode: 2 },
    { number: 257, flags: 2, mode: 3 },
  ],
}

const ARM64: SystemCalls = {
  audit: 0xc00000b7,
  foreignFrom: undefined,
  denied: {
    ...COMMON,
    lookup_dcookie: 18,
    umount2: 39,
    mount: 40,
    pivot_root: 41,
    nfsservctl: 42,
    chroot: 51,
    vhangup: 58,
    quotactl: 60,
    acct: 89,
    unshare: 97,
    kexec_load: 104,
    init_module: 105,
    delete_module: 106,
    clock_settime: 112,
    syslog: 116,
    ptrace: 117,
    reboot: 142,
    sethostname: 161,
    setdomainname: 162,
    settimeofday: 170,
    add_key: 217,
    request_key: 218,
    keyctl: 219,
    swapon: 224,
    swapoff: 225,
    migrate_pages: 238,
    move_pages: 239,
    perf_event_open: 241,
    fanotify_init: 262,
    fanotify_mark: 263,
    name_to_handle_at: 264,
    open_by_handle_at: 265,
    clock_adjtime: 266,
    setns: 268,
    process_vm_readv: 270,
    process_vm_writev: 271,
    kcmp: 272,
    finit_module: 273,
    bpf: 280,
    userfaultfd: 282,
    kexec_file_load: 294,
  },
  absent: {
    io_setup: 0,
    io_destroy: 1,
    io_submit: 2,
    io_cancel: 3,
    io_getevents: 4,
    io_pgetevents: 292,
  },
  clone: 220,
  clone3: 435,
  socket: 198,
  socketpair: 199,
  ioctl: 29,
  personality: 92,
  prlimit: 261,
  openat2: 437,
  shmget: 194,
  unmappedMemory: { msgget: 186, semget: 190, memfd_create: 279 },
  hugePages: [
    { number: 222, ...HUGE_PAGES.mmap },
    { number: 279, ...HUGE_PAGES.memfd_create },
    { number: 194, ...HUGE_PAGES.shmget },
  ],
  // fchmod; mknodat, fchmodat, fchmodat2.
  modes: { 1: [52], 2: [33, 53, 452] },
  makers: [{ number: 56, flags: 2, mode: 3 }],
}

/** By Node's architecture name. */
export const SYSTEM_CALLS: Readonly<Record<string, SystemCalls>> = { x64: X64, arm64: ARM64 }
