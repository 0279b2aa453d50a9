// @module-tag readable-clone
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TierRuntime, TIERS } from './tier-runtime.ts'

/** Observations of a program about its environment and about leftovers of its parent. */
const SURROUNDINGS = {
  rights: `words = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().split("\\n") if ":\\t" in line)
return {name: words[name].strip() for name in ("SigBlk", "SigIgn", "SigCgt", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp", "Threads", "Umask", "Cpus_allowed", "TracerPid")}`,
  signals:
    'return [[str(signal.getsignal(each)) for each in range(1, 65)], signal.set_wakeup_fd(-1), signal.getitimer(signal.ITIMER_REAL), sorted(signal.pthread_sigmask(signal.SIG_BLOCK, []))]',
  environment:
    'return [dict(os.environ), sorted(set(each.split("=")[0] for each in open("/proc/self/environ").read().split("\\0")) - {"", "PWD", "LC_CTYPE"}), sys.path, sys.argv, os.getcwd(), open("/proc/self/cmdline").read() != ""]',
  switches: `import gc
return [str(sys.flags), sys.dont_write_bytecode, sys.getrecursionlimit(), sys.getswitchinterval(), gc.isenabled(), gc.get_threshold(), str(sys.gettrace()), str(sys.getprofile()), sys.excepthook is sys.__excepthook__, sys.displayhook is sys.__displayhook__]`,
  streams: `import locale
return [[[each.encoding, each.errors, each.line_buffering, each.isatty()] for each in (sys.stdout, sys.stderr)], sys.stdin is None, os.read(0, 1) == b"", locale.setlocale(locale.LC_ALL), sys.getfilesystemencoding(), sys.getdefaultencoding()]`,
  limits: `import resource
return [{name: resource.getrlimit(getattr(resource, name)) for name in dir(resource) if name.startswith("RLIMIT_")}, os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0), open("/proc/self/oom_score_adj").read()]`,
  threads: `import threading
return [threading.active_count(), threading.get_native_id() == os.getpid(), threading.current_thread() is threading.main_thread(), os.cpu_count()]`,
  descriptors:
    'return sorted([int(name), os.readlink("/proc/self/fd/" + name).split(":")[0], os.get_inheritable(int(name)), os.get_blocking(int(name))] for name in os.listdir("/proc/self/fd") if os.path.lexists("/proc/self/fd/" + name))',
  files:
    'return [sorted(set(os.listdir(each)) - {"core"}) for each in ("/", "/dev", "/etc", "/tmp", "/workspace", "/dev/shm", "/usr")] + [[oct(os.stat(each).st_mode), os.access(each, os.W_OK)] for each in ("/", "/dev", "/etc", "/tmp", "/workspace", "/dev/shm", "/usr", "/proc", "/blobs")]',
  // Read-only mounts may be assembled differently.
  'places to write':
    'return sorted("%s %s %s" % (words[4], words[5], words[words.index("-") + 1]) for words in (line.split() for line in open("/proc/self/mountinfo")) if words[5].startswith("rw"))',
  processes:
    'return [sorted(name for name in os.listdir("/proc") if name.isdigit()), os.getpid(), socket.gethostname(), [line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line]]',
} as const

const SUBJECTS = TIERS.flatMap((tier) => [
  { tier, warm: true, name: `a forked run of ${tier}` },
  { tier, warm: 'aslr', name: `a run of ${tier} in a fork that starts its interpreter again` },
])

describe.each(SUBJECTS)('$name', ({ tier, warm: setting }) => {
  let all: TierRuntime
  beforeAll(async () => {
    all = new TierRuntime(tier, {
      settings: { 'run.limits.memory': 256 * 1024 ** 2, 'run.warm': setting },
    })
    await all.zygote()
  })
  afterAll(async () => await all.close())

  it.each(Object.entries(SURROUNDINGS))('has the same %s as a cold run', async (_, body) => {
    const warm = await all.run(body)
    const cold = await all.run(body, { isCold: true })
    expect([warm.isolation?.path, cold.isolation?.path]).toEqual(['warm', 'cold'])
    expect([warm.status, cold.error]).toEqual(['completed', undefined])
    expect(warm.output).toEqual(cold.output)
  })
})
