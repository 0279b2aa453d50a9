import { expect } from 'vitest'
import { withRequirement, type CaseTitle, type RunCase } from '../case.ts'
import { bounded } from './bounded.ts'
import { expectCompleted, expectFailed } from './expect.ts'
import { wrapMain } from './forge.ts'

const MIB = 1024 ** 2

const FILL = `size = 0
try:
    with open(args["folder"] + "/skills-abuse-fill", "wb") as file:
        while size < 80:
            file.write(bytes(1 << 20))
            size += 1
except OSError:
    pass
return size`

const FILL_BARE = (folder: string) => `import os, tempfile
with tempfile.NamedTemporaryFile(dir="${folder}") as file:
    size = sum(1 for _ in range(80) if file.write(bytes(1 << 20)))
print(size)`

const FORKS = `count = 0
for _ in range(args["n"]):
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
return "all"`

/** Runs the same code with too short and with sufficient time. */
function tooLong([id, says]: CaseTitle, code: string, control: RunCase['control']): RunCase {
  const run = { code: wrapMain(code), timeoutMs: 700 }
  return { id, says, needs: 'limits', run, holds: expectFailed('Timeout'), control }
}

function flood(id: string, says: string, code: string): RunCase {
  const each = bounded({ id, says }, code, {
    tight: { 'run.limits.output': MIB / 16 },
    loose: { 'run.limits.output': 64 * MIB },
    holds: (report) => {
      expectFailed('OutputLimit')(report)
      // The host keeps little of it, however much is printed.
      expect(report.grownBytes).toBeLessThan(128 * MIB)
      expect(report.result?.logs_preview.length).toBeLessThanOrEqual(2048)
    },
  })
  return { ...each, run: { ...each.run, isAlone: true } }
}

export const LIMITS: readonly RunCase[] = [
  ...(['/tmp', '/dev/shm'] as const).map((folder): RunCase => ({
    id: `R3${folder.replaceAll('/', '.')}`,
    says: `fills no more than its share of ${folder}`,
    needs: 'limits',
    run: { code: wrapMain(FILL), args: { folder } },
    holds: (report) => {
      expectCompleted()(report)
      expect(report.result?.output).toBeLessThanOrEqual(64)
    },
    control: { bare: FILL_BARE(folder), prints: '80' },
  })),
  ...(['/workspace', '/blobs'] as const).map((folder): RunCase => ({
    id: `R3${folder.replaceAll('/', '.')}`,
    says: `fills no more than its share of ${folder}`,
    needs: 'limits',
    run: { code: wrapMain(FILL), args: { folder }, settings: { 'run.limits.workspace': 8 * MIB } },
    holds: (report) => {
      expectCompleted()(report)
      expect(report.result?.output).toBeLessThanOrEqual(8)
    },
    control: {
      run: {
        code: wrapMain(FILL),
        args: { folder },
        settings: { 'run.limits.workspace': 128 * MIB },
      },
      works: expectCompleted(80),
    },
  })),
  ...(['deleted', 'preallocated'] as const).map((how): RunCase => {
    const write =
      how === 'deleted' ? 'os.write(fd, bytes(1 << 20))' : 'os.posix_fallocate(fd, 0, 1 << 20)'
    const code = wrapMain(`size = 0
try:
    while size < 40:
        name = "/workspace/skills-abuse-fill-%d" % size
        fd = os.open(name, os.O_CREAT | os.O_RDWR)
        os.unlink(name)
        ${write}
        size += 1
except OSError:
    pass
return size`)
    return {
      id: `R3.${how}`,
      says: `fills no more than its share of /workspace by ${how} files that are open`,
      needs: 'limits',
      run: { code, settings: { 'run.limits.workspace': 8 * MIB } },
      holds: (report) => {
        expectCompleted()(report)
        expect(report.result?.output).toBeLessThanOrEqual(8)
      },
      control: {
        run: { code, settings: { 'run.limits.workspace': 128 * MIB } },
        works: expectCompleted(40),
      },
    }
  }),
  {
    id: 'R3.elsewhere',
    says: 'finds no other writable folder',
    needs: 'files',
    run: {
      code: wrapMain(
        'found = []\nfor folder, names, _ in os.walk("/"):\n    names[:] = [n for n in names if folder + n not in ("/proc", "/sys") and not os.path.islink(os.path.join(folder, n))]\n    if os.access(folder, os.W_OK) and not folder.startswith("/dev/pts"): found.append(folder)\n    if folder.count("/") > 3: names[:] = []\nreturn sorted(found)',
      ),
    },
    holds: (report) => {
      expectCompleted()(report)
      const known = ['/blobs', '/dev/mqueue', '/dev/shm', '/tmp', '/workspace']
      expect(known).toEqual(expect.arrayContaining(report.result?.output as string[]))
    },
    control: { bare: 'import os\nprint(os.access("/usr", os.W_OK))', prints: 'True' },
  },
  {
    id: 'R5.sparse',
    says: 'creates no file larger than its limit, not even a sparse one',
    needs: 'limits',
    run: { code: wrapMain('with open("/workspace/x", "wb") as f: f.truncate(1 << 40)') },
    holds: expectFailed('DiskLimit'),
    control: {
      bare: 'import os, tempfile\nwith tempfile.NamedTemporaryFile() as f:\n    f.truncate(1 << 40)\n    print(os.path.getsize(f.name) >> 40)',
      prints: '1',
    },
  },
  bounded(
    { id: 'R4.inodes', says: 'creates no more files than its limit' },
    'for at in range(3000): open("/workspace/%d" % at, "w").close()\ntime.sleep(1)',
    {
      tight: { 'run.limits.workspace': 4 * MIB },
      loose: { 'run.limits.workspace': 64 * MIB },
      types: ['DiskLimit'],
    },
  ),
  bounded(
    { id: 'R7.busy', says: 'uses no more processor time than its limit' },
    'end = time.process_time() + 1.7\nwhile time.process_time() < end: pass',
    {
      tight: { 'run.limits.cpu_time': 1000 },
      loose: { 'run.limits.cpu_time': 20_000 },
      types: ['CpuLimit'],
    },
  ),
  bounded(
    { id: 'R7.deaf', says: 'uses no more processor time than its limit if it ignores the signal' },
    'signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nend = time.process_time() + 2.5\nwhile time.process_time() < end: pass',
    {
      tight: { 'run.limits.cpu_time': 1000 },
      loose: { 'run.limits.cpu_time': 20_000 },
      types: ['CpuLimit', 'Killed'],
    },
  ),
  tooLong(['R8.sleep', 'ends at its timeout'], 'time.sleep(1.5)', {
    run: { code: wrapMain('time.sleep(1.5)') },
    works: expectCompleted(),
  }),
  tooLong(
    ['R8.deaf', 'ends at its timeout if it ignores every signal'],
    'for each in range(1, 65):\n    try: signal.signal(each, signal.SIG_IGN)\n    except (OSError, ValueError): pass\ntime.sleep(60)',
    {
      bare: 'import os, signal, time\nchild = os.fork()\nif child == 0:\n    signal.signal(15, signal.SIG_IGN)\n    time.sleep(20)\n    os._exit(0)\ntime.sleep(0.3)\nos.kill(child, 15)\ntime.sleep(0.2)\nprint(os.waitpid(child, os.WNOHANG)[0])\nos.kill(child, 9)',
      prints: '0',
    },
  ),
  tooLong(
    ['R8.except', 'ends at its timeout if it catches every exception'],
    'while True:\n    try: time.sleep(60)\n    except BaseException: pass',
    {
      none: 'a loop never ends by definition',
    },
  ),
  tooLong(
    ['R10.expression', 'ends at its timeout within one call of C'],
    'import re\nre.match(r"(a+)+$", "a" * 60 + "b")',
    {
      run: { code: wrapMain('import re\nre.match(r"(a+)+$", "a" * 16 + "b")') },
      works: expectCompleted(),
    },
  ),
  tooLong(
    ['R10.power', 'ends at its timeout within one addition'],
    'return (10 ** (10 ** 9)) % 7',
    {
      run: { code: wrapMain('return (10 ** (10 ** 4)) % 7') },
      works: expectCompleted(),
    },
  ),
  tooLong(
    ['P8.stop', 'ends at its timeout if it stops itself'],
    'os.kill(os.getpid(), signal.SIGSTOP)',
    {
      bare: 'import os, signal\nchild = os.fork()\nif child == 0:\n    os.kill(os.getpid(), signal.SIGSTOP)\n    os._exit(0)\nprint(os.WIFSTOPPED(os.waitpid(child, os.WUNTRACED)[1]))\nos.kill(child, 9)',
      prints: 'True',
    },
  ),
  withRequirement(
    'processes',
    tooLong(
      ['P8.init', 'ends at its timeout if it stops every process it can'],
      'for pid in (1, -1):\n    try: os.kill(pid, signal.SIGSTOP)\n    except OSError: pass\ntime.sleep(60)',
      {
        none: 'it would stop the host',
      },
    ),
  ),
  tooLong(
    ['P9.closed', 'ends at its timeout if it closed all descriptors'],
    'os.closerange(0, 1024)\ntime.sleep(60)',
    {
      none: 'only the harness has these descriptors',
    },
  ),
  flood('R11.stdout', 'cannot flood the host by stdout', 'print("x" * (4 << 20))'),
  flood(
    'R11.stderr',
    'cannot flood the host by stderr',
    'print("x\\n" * (2 << 20), file=sys.stderr)',
  ),
  flood(
    'R11.both',
    'cannot flood the host by both at once',
    'for _ in range(40):\n    print("x" * 50_000)\n    print("y" * 50_000, file=sys.stderr)',
  ),
  flood(
    'R11.bytes',
    'cannot flood the host byte by byte',
    'for _ in range(100_000): os.write(1, b"x")',
  ),
  flood(
    'R11.log',
    'cannot flood the host by its log',
    'from runtime import log\nfor _ in range(200): log.info("x" * 20_000)',
  ),
  flood(
    'R11.line',
    'cannot flood the host by one line of its log',
    'from runtime import log\nlog.error("x" * (4 << 20))',
  ),
  flood(
    'R11.child',
    'cannot flood the host by its children',
    'for _ in range(4):\n    if os.fork() == 0:\n        os.write(1, b"x" * (1 << 20))\n        os._exit(0)\nfor _ in range(4): os.wait()\ntime.sleep(1)',
  ),
  flood(
    'R11.raw',
    'cannot flood the host by invalid text',
    'os.write(1, b"\\xff" * (1 << 20)); os.write(1, b"\\xff" * (1 << 20))',
  ),
  bounded(
    { id: 'R12.blobs', says: 'stores no more than its limit' },
    'from runtime import blobs\nblobs.write_bytes(bytes(4 << 20))',
    {
      tight: { 'store.quota': 8 * MIB },
      loose: { 'store.quota': 64 * MIB },
      types: ['OutputLimit'],
    },
  ),
  bounded(
    { id: 'R12.open', says: 'holds no more open blobs than its limit' },
    'from runtime import blobs\nfiles = [blobs.open(mode="wb") for _ in range(args["n"])]\nfor each in files: each.close()',
    {
      tight: {},
      loose: {},
      args: { n: 100 },
      few: { n: 3 },
      types: ['OutputLimit'],
    },
  ),
  bounded(
    { id: 'R14.files', says: 'opens no more files than its limit' },
    'files = [open("/dev/null") for _ in range(args["n"])]',
    {
      tight: {},
      loose: {},
      args: { n: 1100 },
      few: { n: 500 },
    },
  ),
  bounded(
    { id: 'R15.stack', says: 'ends alone by a stack overflow' },
    'sys.setrecursionlimit(10 ** 9)\ndef deeper(n): return n and json.loads("[" * 5) if n == 0 else deeper(n - 1)\ntry: deeper(args["n"])\nexcept json.JSONDecodeError: pass',
    {
      tight: { 'run.limits.memory': 200 * MIB },
      loose: {},
      args: { n: 10_000_000 },
      few: { n: 500 },
    },
  ),
  bounded({ id: 'P1.forks', says: 'starts no more processes than its limit' }, FORKS, {
    tight: { 'run.limits.processes': 20 },
    loose: { 'run.limits.processes': 100 },
    args: { n: 40 },
  }),
  bounded(
    { id: 'P1.bomb', says: 'ends with all its children' },
    'for _ in range(args["n"]): os.fork()\nreturn 1',
    {
      tight: {},
      loose: {},
      args: { n: 60 },
      few: { n: 3 },
    },
  ),
  bounded(
    { id: 'P2.threads', says: 'starts no more threads than its limit' },
    'for _ in range(40): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()',
    {
      tight: { 'run.limits.processes': 20 },
      loose: { 'run.limits.processes': 100 },
    },
  ),
]
