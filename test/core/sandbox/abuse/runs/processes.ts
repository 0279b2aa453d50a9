import { expect } from 'vitest'
import { withRequirement, type CaseTitle, type RunCase } from '../case.ts'
import { expectCompleted, expectFailed } from './expect.ts'
import { wrapMain } from './forge.ts'

type Rest = Partial<RunCase['run']> & Pick<RunCase, 'holds' | 'control'>

function process([id, says]: CaseTitle, code: string, { holds, control, ...more }: Rest): RunCase {
  const run = { code: wrapMain(code), timeoutMs: 20_000, ...more }
  return { id, says, needs: 'processes', run, holds, control }
}

/** Ways for a process to end, with the result that the caller must receive. */
const ENDS: readonly (readonly [name: string, code: string, error: object])[] = [
  ['code-3', 'os._exit(3)', { type: 'Exited', exit_code: 3 }],
  ['code-255', 'os._exit(255)', { type: 'Exited', exit_code: 255 }],
  ['code-70', 'os._exit(70)', { type: 'Exited', exit_code: 70 }],
  ['code-75', 'os._exit(75)', { type: 'Exited', exit_code: 75 }],
  [
    'thread',
    'threading.Thread(target=lambda: os._exit(9)).start(); time.sleep(20)',
    { exit_code: 9 },
  ],
  ['program', 'os.execv("/bin/sh", ["sh", "-c", "exit 41"])', { type: 'Exited', exit_code: 41 }],
  ['kill', 'os.kill(os.getpid(), 9)', { type: 'Killed', signal: 'SIGKILL' }],
  ['term', 'os.kill(os.getpid(), 15)', { type: 'Killed', signal: 'SIGTERM' }],
  ['abort', 'os.abort()', { type: 'Killed', signal: 'SIGABRT' }],
  ['crash', 'ctypes.string_at(0)', { type: 'Killed', signal: 'SIGSEGV' }],
  ['hang-up', 'os.kill(os.getpid(), 1)', { type: 'Killed', signal: 'SIGHUP' }],
  ['user', 'os.kill(os.getpid(), 10)', { type: 'Killed', signal: 'SIGUSR1' }],
  ['alarm', 'signal.setitimer(signal.ITIMER_REAL, 0.05); time.sleep(20)', { signal: 'SIGALRM' }],
  ['group', 'os.kill(0, 9)\ntime.sleep(20)', { type: 'Killed', signal: 'SIGKILL' }],
  [
    'own-group',
    // Process group 1 cannot be addressed this way: kill(-1) addresses every process.
    'os.killpg(os.getpgrp() if os.getpgrp() > 1 else 0, 9)\ntime.sleep(20)',
    { type: 'Killed', signal: 'SIGKILL' },
  ],
  [
    'parent',
    // A parent outside of the PID namespace appears as 0, which addresses the whole process group.
    'os.kill(os.getppid() or 0, 15)\nos.kill(os.getpid(), 9)',
    { type: 'Killed' },
  ],
]

/** Creates a child of the caller's parent, with CLONE_PARENT. */
const SIBLING = `libc = ctypes.CDLL(None)
def sibling():
    return libc.syscall(56, 0x8000 | 17, None, None, None, None)
`

const DOUBLE = `for _ in range(args["n"]):
    child = os.fork()
    if child == 0:
        if os.fork() == 0: os._exit(0)
        os._exit(0)
    os.waitpid(child, 0)
`

const FEW = { 'run.limits.processes': 40 }
const REAPED: RunCase['control'] = {
  run: {
    code: wrapMain('for _ in range(200):\n    if os.fork() == 0: os._exit(0)\nreturn "all"'),
    settings: FEW,
  },
  // Zombies count against the process limit until they are reaped.
  works: (report) => {
    if (report.result?.isolation?.limits['processes']?.startsWith('cgroup') === true) {
      expectFailed()(report)
    }
  },
}

/** A report that waits for other processes is a timeout instead. */
function expectError(error: object): RunCase['holds'] {
  return (report) => {
    expectFailed()(report)
    expect(report.result?.error).toMatchObject(error)
  }
}

/** Collects what PID 1 of a run reveals to the run. */
const SHOWN = `found = {}
for line in open("/proc/1/status"):
    name, _, value = line.partition(":\\t")
    found[name] = value.strip()
return [[int(found[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")], found["NoNewPrivs"], found["TracerPid"]]`

const COUNTED = `names = []
for fd in os.listdir("/proc/self/fd"):
    try: names.append(os.readlink("/proc/self/fd/" + fd).split(":")[0])
    except OSError: pass
return sorted(names)`

export const PROCESS_RUNS: readonly RunCase[] = [
  ...ENDS.map(([name, code, error]) =>
    process([`C5.${name}`, `that ends by ${name} is reported so, without delay`], code, {
      holds: expectError(error),
      control: { run: { code: wrapMain('return 1') }, works: expectCompleted(1) },
    }),
  ),
  process(
    ['C5.held', 'is reported by its exit code even if a child holds its output'],
    'if os.fork() == 0:\n    os.setsid()\n    time.sleep(60)\n    os._exit(0)\nos._exit(3)',
    {
      holds: expectError({ type: 'Exited', exit_code: 3 }),
      control: {
        bare: 'import subprocess\ntry: subprocess.run(["/bin/sh", "-c", "sleep 3 & exit 0"], capture_output=True, timeout=0.5)\nexcept subprocess.TimeoutExpired: print("delayed")',
        prints: 'delayed',
      },
    },
  ),
  process(
    ['C5.grandchild', 'is reported by its own exit code, not by that of a child'],
    'for code in (0, 5):\n    if os.fork() == 0:\n        if os.fork() == 0: os._exit(6)\n        os._exit(code)\ntime.sleep(0.3)\nos._exit(4)',
    {
      holds: expectError({ type: 'Exited', exit_code: 4 }),
      control: { run: { code: wrapMain('return 1') }, works: expectCompleted(1) },
    },
  ),
  process(
    ['C5.leader', 'whose first thread exits alone continues until its timeout'],
    'threading.Thread(target=time.sleep, args=(60,)).start()\nctypes.CDLL(None).syscall(60, 0)',
    {
      timeoutMs: 1500,
      holds: expectFailed('Timeout'),
      control: { run: { code: wrapMain('return 1') }, works: expectCompleted(1) },
    },
  ),
  process(
    ['C5.leader-last', 'whose first thread exited does not succeed when its last one exits'],
    'threading.Thread(target=time.sleep, args=(0.3,)).start()\nctypes.CDLL(None).syscall(60, 0)',
    {
      holds: (report) => {
        expectFailed()(report)
        expect(report.result?.error?.type).not.toBe('Timeout')
      },
      control: { run: { code: wrapMain('return 1') }, works: expectCompleted(1) },
    },
  ),
  process(
    ['P3.sibling', 'is reported by its own exit, not by that of a sibling that it created'],
    `${SIBLING}for _ in range(3):\n    if sibling() == 0: os._exit(0)\ntime.sleep(0.3)\nos._exit(7)`,
    {
      holds: expectError({ type: 'Exited', exit_code: 7 }),
      control: {
        bare: `import ctypes, os
if os.fork() == 0:
    if ctypes.CDLL(None).syscall(56, 0x8000 | 17, None, None, None, None) == 0: os._exit(5)
    os._exit(0)
print(sorted(os.waitstatus_to_exitcode(os.wait()[1]) for _ in range(2)))`,
        prints: '[0, 5]',
      },
    },
  ),
  process(
    ['P3.sibling-first', 'does not end when a sibling that it created ends'],
    `${SIBLING}if sibling() == 0: os._exit(0)\ntime.sleep(0.5)\nreturn "first"`,
    {
      holds: expectCompleted('first'),
      control: { none: 'P3.sibling shows the parent of a sibling' },
    },
  ),
  process(
    ['P3.sibling-stays', 'ends even if a sibling that it created stays'],
    `${SIBLING}if sibling() == 0:\n    os.setsid()\n    time.sleep(60)\n    os._exit(0)\nreturn "left"`,
    {
      holds: expectCompleted('left'),
      control: { none: 'P3.sibling shows the parent of a sibling' },
    },
  ),
  process(
    ['P3.siblings', 'has its dead siblings reaped'],
    `${SIBLING}for at in range(args["n"]):\n    if sibling() == 0: os._exit(0)\n    time.sleep(0.01)\nreturn "all"`,
    { args: { n: 120 }, settings: FEW, holds: expectCompleted('all'), control: REAPED },
  ),
  process(['P3.orphans', 'has its dead orphans reaped, however many'], `${DOUBLE}return "all"`, {
    args: { n: 300 },
    timeoutMs: 60_000,
    settings: FEW,
    holds: expectCompleted('all'),
    control: REAPED,
  }),
  process(
    ['P3.zombies', 'leaves no zombie behind its orphans'],
    `${DOUBLE}end = time.time() + 10
def dead():
    names = []
    for pid in os.listdir("/proc"):
        try: names += [pid] if pid.isdigit() and ") Z" in open("/proc/%s/stat" % pid).read() else []
        except OSError: pass
    return names
while dead() and time.time() < end: time.sleep(0.05)
return dead()`,
    {
      args: { n: 20 },
      holds: expectCompleted([]),
      control: {
        bare: 'import os, time\nchild = os.fork()\nif child == 0: os._exit(0)\ntime.sleep(0.2)\nprint(") Z" in open("/proc/%d/stat" % child).read())',
        prints: 'True',
      },
    },
  ),
  process(
    ['P3.group', 'has its own process group and session'],
    // 0 denotes a process group outside of the namespace.
    'return [os.getpgrp() > 0, os.getsid(0) > 0]',
    {
      holds: expectCompleted([true, true]),
      control: { none: 'a process group that is invisible needs another namespace' },
    },
  ),
  process(
    ['P3.terminal', 'has no terminal and gets none'],
    'got = []\nfor take in (lambda: os.open("/dev/tty", os.O_RDWR), lambda: os.tcsetpgrp(0, os.getpgrp()), lambda: os.tcgetpgrp(1)):\n    try: got.append(take())\n    except OSError: pass\nreturn got',
    {
      holds: expectCompleted([]),
      control: {
        bare: 'import os, pty\nchild, fd = pty.fork()\nif child == 0:\n    os.close(os.open("/dev/tty", os.O_RDWR))\n    os._exit(0)\nprint(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))',
        prints: '0',
      },
    },
  ),
  process(['P7.rights', 'has a PID 1 without capabilities that gains none'], SHOWN, {
    holds: expectCompleted([[0, 0, 0, 0, 0], '1', '0']),
    control: {
      bare: 'print([line.split()[1] for line in open("/proc/1/status") if line.startswith("NoNewPrivs")][0])',
      prints: '0',
    },
  }),
  process(
    ['P7.all', 'finds only public files of its PID 1'],
    `got = []
for name in ("mem", "environ", "maps", "smaps", "fd", "fdinfo", "root", "cwd", "exe", "ns/pid", "ns/mnt", "ns/user", "auxv", "pagemap", "map_files", "task/1/mem", "task/1/fd", "io", "personality", "syscall", "stack", "clear_refs", "attr/exec", "timers", "coredump_filter"):
    path = "/proc/1/" + name
    for take in (lambda: os.listdir(path), lambda: open(path, "rb").read(64), lambda: os.readlink(path)):
        try:
            if take(): got.append(name)
        except OSError: pass
return sorted(set(got))`,
    {
      holds: ({ result }) => {
        expect(result?.status).toBe('completed')
        // The filter of core dumps reveals nothing about the process.
        expect(['coredump_filter']).toEqual(expect.arrayContaining(result?.output as string[]))
      },
      control: {
        bare: 'import os\nprint(len(os.listdir("/proc/self/fd")) > 0 and len(open("/proc/self/maps").read()) > 0)',
        prints: 'True',
      },
    },
  ),
  process(
    ['P7.change', 'changes nothing of its PID 1'],
    `got = []
for name, text in (("oom_score_adj", "500"), ("mem", "x"), ("clear_refs", "1"), ("coredump_filter", "0"), ("comm", "x"), ("timerslack_ns", "1"), ("attr/exec", "x"), ("setgroups", "allow"), ("uid_map", "0 0 1")):
    try:
        with open("/proc/1/" + name, "w") as file: file.write(text)
        got.append(name)
    except OSError: pass
for take in (lambda: os.setpgid(1, 0), lambda: resource.prlimit(1, resource.RLIMIT_NOFILE, (1, 1)), lambda: resource.prlimit(1, resource.RLIMIT_FSIZE, (1, 1))):
    try: take(); got.append("call")
    except OSError: pass
return got`,
    {
      holds: expectCompleted([]),
      control: {
        bare: 'import os\nopen("/proc/self/comm", "w").write("x")\nprint(open("/proc/self/comm").read().strip())',
        prints: 'x',
      },
    },
  ),
  withRequirement(
    'files',
    process(
      ['C2.inherited', 'starts programs that hold only three descriptors and its channel'],
      `here = subprocess.run(["/bin/sh", "-c", "ls -l /proc/self/fd"], close_fds=False, capture_output=True, text=True).stdout
return sorted(line.split(" -> ")[1].split(":")[0] for line in here.splitlines() if " -> socket" in line or " -> anon" in line or "/door" in line)`,
      {
        holds: ({ result }) => {
          expect(result?.status).toBe('completed')
          expect(['socket']).toEqual(expect.arrayContaining(result?.output as string[]))
          expect(result?.output).toHaveLength(new Set(result?.output as string[]).size)
        },
        control: {
          bare: 'import os, socket, subprocess\ns = socket.socket(); os.set_inheritable(s.fileno(), True)\nprint("socket" in subprocess.run(["/bin/ls", "-l", "/proc/self/fd"], close_fds=False, capture_output=True, text=True).stdout)',
          prints: 'True',
        },
      },
    ),
  ),
  withRequirement(
    'files',
    process(['C2.held', 'holds four descriptors: stdin, stdout, stderr and its channel'], COUNTED, {
      holds: ({ result }) => {
        expect(result?.status).toBe('completed')
        const kinds = result?.output as string[]
        // The descriptor that lists the folder is closed by then.
        expect(kinds).toHaveLength(4)
        expect(kinds.filter((kind) => !['pipe', 'socket', '/dev/null'].includes(kind))).toEqual([])
      },
      control: {
        bare: 'import os\nkept = [os.pipe() for _ in range(3)]\nprint(len(os.listdir("/proc/self/fd")) > 6)',
        prints: 'True',
      },
    }),
  ),
]
