import { crc32 } from 'node:zlib'
import { expect } from 'vitest'
import { withRequirement, type CaseTitle, type RunCase } from '../case.ts'
import { encodeFrame, FrameReader } from '../../../../../src/core/runs/protocol/frames.ts'
import { expectCompleted, expectFailed } from './expect.ts'
import { wrapForgingMain, wrapMain } from './forge.ts'

type Rest = Pick<RunCase, 'holds' | 'control'>

function attack([id, says]: CaseTitle, code: string, rest: Rest): RunCase {
  return {
    id,
    says,
    needs: 'channel',
    run: { code: wrapForgingMain(code), timeoutMs: 10_000 },
    ...rest,
  }
}

function withTime(timeoutMs: number, each: RunCase): RunCase {
  return { ...each, run: { ...each.run, timeoutMs } }
}

/** Runs alone, because the memory of the host process is measured. */
function alone(each: RunCase): RunCase {
  return { ...each, run: { ...each.run, isAlone: true } }
}

/** Builds a control with the same technique at a place where it reaches the host. */
function controlled(code: string, works = expectCompleted()): RunCase['control'] {
  return { run: { code: wrapForgingMain(code), timeoutMs: 10_000 }, works }
}

const FORGED = 'forged_result("forged")'
/** Code may report any return value of its own, in any way. */
const OWN_VALUE = controlled(`forge(b"R", ${FORGED})\nos._exit(0)`, expectCompleted('forged'))
const SILENT = controlled('return "real"', expectCompleted('real'))

/** PID 1 reports the outcome of a run, whatever the code has claimed. */
const ENDINGS: readonly (readonly [name: string, code: string, type: string])[] = [
  ['code', 'os._exit(3)', 'Exited'],
  ['abort', 'os.abort()', 'Killed'],
  ['kill', 'os.kill(os.getpid(), 9)', 'Killed'],
  ['crash', 'import ctypes\nctypes.string_at(0)', 'Killed'],
  ['program', 'os.execv("/bin/false", ["false"])', 'Exited'],
  ['deadline', 'time.sleep(60)', 'Timeout'],
]

/** Ways to exit that a caller could mistake for success. */
const LEAVING: readonly (readonly [name: string, code: string])[] = [
  ['exit-0', 'os._exit(0)'],
  ['sys-exit', 'sys.exit(0)'],
  ['exit-text', 'raise SystemExit("x")'],
  ['exit-object', 'raise SystemExit(object())'],
  ['program', 'os.execv("/bin/true", ["true"])'],
  ['interrupt', 'raise KeyboardInterrupt'],
  ['generator', 'raise GeneratorExit'],
  ['base', 'raise type("Odd", (BaseException,), {})'],
  ['terminated', 'os.kill(os.getpid(), 15)'],
  ['interrupted', 'signal.signal(2, signal.SIG_DFL); os.kill(os.getpid(), 2)'],
  ['thread', 'threading.Thread(target=lambda: os._exit(0)).start(); time.sleep(5)'],
  ['recursion', 'def f(): return f()\nreturn f()'],
]

export const CHANNEL: readonly RunCase[] = [
  attack(
    ['C1.stdout', 'is not trusted on its stdout'],
    `os.write(1, frame(b"R", ${FORGED}))\nreturn "real"`,
    {
      holds: expectCompleted('real'),
      control: OWN_VALUE,
    },
  ),
  attack(
    ['C1.stderr', 'is not trusted on its stderr'],
    `os.write(2, frame(b"R", ${FORGED}))\nreturn "real"`,
    {
      holds: expectCompleted('real'),
      control: OWN_VALUE,
    },
  ),
  attack(
    ['C2.noise', 'cannot hide that it wrote between the frames'],
    'for fd in range(3, 1024):\n    try: os.write(fd, b"R" * 300)\n    except OSError: pass\nreturn "real"',
    {
      holds: expectFailed('SandboxError'),
      control: SILENT,
    },
  ),
  attack(
    ['C2.zero', 'cannot hide that it wrote only zeros'],
    'os.write(find_channel()._fd, bytes(64))\nreturn "real"',
    {
      holds: expectFailed('SandboxError'),
      control: SILENT,
    },
  ),
  attack(
    ['C2.sum', 'cannot change a frame in transit'],
    `data = bytearray(frame(b"R", ${FORGED})); data[-3] ^= 1\nos.write(find_channel()._fd, data)\nos._exit(0)`,
    {
      holds: expectFailed('SandboxError'),
      control: OWN_VALUE,
    },
  ),
  attack(
    ['C2.long', 'cannot make the host wait for a frame of 4 GiB'],
    'channel = find_channel()\nos.write(channel._fd, channel._key + b"R" + b"\\xff" * 4 + bytes(4))\ntime.sleep(60)',
    {
      holds: expectFailed('SandboxError'),
      control: SILENT,
    },
  ),
  attack(
    ['C2.half', 'cannot end in the middle of a frame'],
    `os.write(find_channel()._fd, frame(b"R", ${FORGED})[:-4])\nos._exit(0)`,
    {
      holds: expectFailed('Exited', 'SandboxError'),
      control: OWN_VALUE,
    },
  ),
  attack(['C2.unknown', 'cannot invent frame types'], 'forge(b"Z", b"{}")\nreturn "real"', {
    holds: expectFailed('SandboxError'),
    control: SILENT,
  }),
  attack(
    ['C2.closed', 'has no result if it closed the channel'],
    'os.closerange(3, 1024)\nreturn "real"',
    {
      holds: expectFailed('Exited', 'SandboxError'),
      control: SILENT,
    },
  ),
  attack(
    ['C2.swapped', 'has no result if it replaced the channel'],
    'os.dup2(1, find_channel()._fd)\nreturn "real"',
    {
      holds: expectFailed('Exited', 'SandboxError'),
      control: SILENT,
    },
  ),
  attack(
    ['C2.shut', 'ends if it shut the channel down'],
    'import socket\ns = socket.socket(fileno=os.dup(find_channel()._fd)); s.shutdown(2)\nreturn "real"',
    {
      holds: expectFailed('Exited', 'SandboxError'),
      control: SILENT,
    },
  ),
  alone(
    attack(
      ['C2.flood', 'cannot exhaust the host with results'],
      `for _ in range(500): forge(b"R", json.dumps({"output": "1" * 100000}).encode())\nreturn 1`,
      {
        holds: ({ grownBytes }) => expect(grownBytes).toBeLessThan(128 * 1024 ** 2),
        control: OWN_VALUE,
      },
    ),
  ),
  alone(
    attack(
      ['C2.questions', 'cannot exhaust the host with requests'],
      'from runtime import blobs\nblob = blobs.write_bytes(bytes(1 << 20))\nnumber = 0\ntry:\n    import fcntl\n    fd = find_channel()._fd\n    fcntl.fcntl(fd, fcntl.F_SETFL, os.O_NONBLOCK)\n    while number < 2000:\n        forge(b"G", bytes(4) + bytes(8) + (1 << 20).to_bytes(4, "big"))\n        number += 1\nexcept BlockingIOError: pass\ntime.sleep(1)\nos._exit(1)',
      {
        holds: (report) => {
          expectFailed()(report)
          expect(report.grownBytes).toBeLessThan(128 * 1024 ** 2)
        },
        control: SILENT,
      },
    ),
  ),
  withTime(
    3000,
    attack(
      ['C2.unread', 'ends at its timeout although it reads no answers to its requests'],
      'from runtime import blobs\nblob = blobs.write_bytes(bytes(1 << 20))\nfor _ in range(8): forge(b"G", bytes(4) + bytes(8) + (1 << 20).to_bytes(4, "big"))\ntime.sleep(60)',
      { holds: expectFailed('Timeout'), control: SILENT },
    ),
  ),
  ...ENDINGS.map(([name, code, type]) =>
    withTime(
      name === 'deadline' ? 1500 : 10_000,
      attack(
        [`C3.${name}`, `is reported as ended by ${name}, although it claimed a result`],
        `forge(b"R", ${FORGED})\n${code}`,
        {
          holds: expectFailed(type),
          control: OWN_VALUE,
        },
      ),
    ),
  ),
  attack(
    ['C3.twice', 'has one result'],
    `forge(b"R", ${FORGED})\nforge(b"R", forged_result("second"))\nos._exit(0)`,
    {
      holds: expectCompleted('forged'),
      control: controlled(
        'forge(b"R", forged_result("second"))\nos._exit(0)',
        expectCompleted('second'),
      ),
    },
  ),
  ...[
    'null',
    '[]',
    '1',
    '{"output": {"a": 1}}',
    '{"output": "{"}',
    '{"output_blob": "blob:../../x"}',
    '{"output_blob": 7}',
    '{',
    '{"error": 5}',
    '{"error": {"type": {}, "message": []}}',
  ].map((form, at): RunCase => ({
    ...attack(
      [`C3.form-${at}`, `cannot disrupt the host by ${form}`],
      'forge(b"R", args["form"].encode())\nos._exit(0)',
      {
        holds: expectFailed(),
        control: OWN_VALUE,
      },
    ),
    run: {
      code: wrapForgingMain('forge(b"R", args["form"].encode())\nos._exit(0)'),
      args: { form },
    },
  })),
  attack(
    ['C3.deep', 'cannot disrupt the host by the depth of a result'],
    'forge(b"R", json.dumps({"output": "[" * 200_000 + "]" * 200_000}).encode())\nos._exit(0)',
    {
      holds: expectFailed('SerializationError'),
      control: {
        host: () => {
          const deep = JSON.parse('['.repeat(200_000) + ']'.repeat(200_000)) as unknown
          expect(() => JSON.stringify(deep)).toThrow(RangeError)
        },
      },
    },
  ),
  attack(
    ['C3.init', 'cannot report in place of PID 1'],
    'got = []\nfor fd in range(3, 64):\n    if fd == find_channel()._fd: continue\n    try: os.write(fd, b\'{"exit": 0, "signal": null}\\n\'); got.append(fd)\n    except OSError: pass\nfor path in ("/proc/1/fd/6", "/proc/self/fd/6", "/proc/%d/fd/6" % os.getppid()):\n    try: open(path, "wb"); got.append(path)\n    except OSError: pass\nreturn got',
    {
      holds: expectCompleted([]),
      control: { host: async () => await frameIsWhole() },
    },
  ),
  ...LEAVING.map(([name, code]) => ({
    ...attack([`C4.${name}`, `that exits by ${name} does not succeed`], '', {
      holds: expectFailed(),
      control: {
        bare: 'import subprocess, sys\nprint(subprocess.run([sys.executable, "-c", "import os; os._exit(0)"]).returncode)',
        prints: '0',
      },
    }),
    run: { code: wrapMain(code), timeoutMs: 10_000 },
  })),
  attack(
    ['C4.exit-patched', 'that keeps the harness from exiting does not succeed'],
    'os._exit = lambda code: None\nreturn "real"',
    {
      holds: expectFailed(),
      control: SILENT,
    },
  ),
  attack(
    ['C4.unsaid', 'that keeps the harness from reporting does not succeed'],
    'type(find_channel()).send_json = lambda *a: None\nreturn "real"',
    {
      holds: expectFailed('Exited'),
      control: SILENT,
    },
  ),
  attack(
    ['C4.at-exit', 'executes nothing after it has returned'],
    'import atexit\natexit.register(lambda: print("late", flush=True))\nreturn 1',
    {
      holds: (report) => {
        expectCompleted(1)(report)
        expect(report.logs).toEqual([])
      },
      control: { bare: 'import atexit\natexit.register(lambda: print("late"))', prints: 'late' },
    },
  ),
  attack(
    ['C4.left-thread', 'is not delayed by a remaining thread'],
    'import threading\nthreading.Thread(target=time.sleep, args=(60,)).start()\nreturn 1',
    {
      holds: expectCompleted(1),
      control: {
        bare: 'import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.3), print("late"))).start()',
        prints: 'late',
      },
    },
  ),
  withRequirement(
    'processes',
    attack(
      ['C4.left-child', 'is not delayed by a child that holds its output'],
      'if os.fork() == 0:\n    os.setsid()\n    time.sleep(60)\n    os._exit(0)\nreturn 1',
      {
        holds: expectCompleted(1),
        control: {
          bare: 'import subprocess\ntry: subprocess.run(["/bin/sh", "-c", "sleep 3 & exit 0"], capture_output=True, timeout=0.5)\nexcept subprocess.TimeoutExpired: print("delayed")',
          prints: 'delayed',
        },
      },
    ),
  ),
  attack(
    ['C6.twice', 'is reported by its first process if it returns twice'],
    'if os.fork() == 0: return "second"\nos.wait()\nreturn "first"',
    {
      holds: expectCompleted('first'),
      control: {
        bare: 'import os\nfirst = os.fork() != 0\nif first: os.wait()\nprint("said", flush=True)',
        prints: 'said',
      },
    },
  ),
  withRequirement(
    'processes',
    attack(
      ['C6.orphan', 'is not reported by a child that outlives it'],
      `if os.fork() == 0:\n    time.sleep(0.5)\n    forge(b"R", ${FORGED})\n    os._exit(0)\nos._exit(0)`,
      {
        holds: expectFailed('Exited'),
        control: OWN_VALUE,
      },
    ),
  ),
  withRequirement(
    'processes',
    attack(
      ['P5.init', 'cannot kill PID 1'],
      'for each in range(1, 65):\n    try: os.kill(1, each)\n    except OSError: pass\nreturn "alive"',
      {
        holds: expectCompleted('alive'),
        control: {
          bare: 'import os, signal, time\nchild = os.fork()\nif child == 0: time.sleep(20)\nos.kill(child, 9)\nprint(os.WTERMSIG(os.wait()[1]))',
          prints: '9',
        },
      },
    ),
  ),
  withRequirement(
    'processes',
    attack(
      ['P5.all', 'kills only its own processes'],
      'for each in (15, 9): \n    try: os.kill(-1, each)\n    except OSError: pass\nreturn "alive"',
      {
        holds: (report) => expect(report.result?.status).toBe('completed'),
        control: { none: 'it would kill the host' },
      },
    ),
  ),
  withRequirement(
    'processes',
    attack(
      ['P10.parent', 'ends even if it requested another parent'],
      'import ctypes\nlibc = ctypes.CDLL(None)\nfor option, value in ((36, 1), (1, 0), (4, 0)): libc.prctl(option, value, 0, 0, 0)\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(60)\n    os._exit(0)\nreturn "left"',
      {
        holds: expectCompleted('left'),
        control: {
          bare: 'import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(0.2)\n    print("outlived", flush=True)',
          prints: 'outlived',
        },
      },
    ),
  ),
]

/** Checks that a frame is accepted only with the key of its run. */
async function frameIsWhole(): Promise<void> {
  const [key, other] = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)]
  const bytes = encodeFrame(key, 'R', Buffer.from('{}'))
  const read = (with_: Buffer) =>
    [...new FrameReader(with_).read(bytes)].map(({ opcode: kind }) => kind)
  expect(bytes.readUInt32BE(21)).toBe(crc32(Buffer.from('{}')))
  expect(read(key)).toEqual(['R'])
  expect(() => read(other)).toThrow()
}
