// @module-tag slow
// @module-tag isolated
// Processes and control groups of a process that runs nothing else.
import { readFileSync, existsSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { SkillsError } from '../../../src/errors.ts'
import { createFolder } from '../../helpers/skills.ts'
import { buildMain, runPython, createRuntimeIn } from './run-python.ts'

describe('a run that completes', () => {
  it.each([
    ['an object', 'return {"a": [1, 2.5, None, True], "__proto__": "x"}'],
    ['null', 'return None'],
    ['a text', 'return "héllo"'],
  ])('returns %s', async (_, code) => {
    const result = await runPython(buildMain(code))
    expect(result).toMatchObject({ status: 'completed', output_blobs: [] })
    expect(result.run_id).toMatch(/^run_[0-9a-f]{24}$/)
    expect(result.error).toBeUndefined()
  })

  it('uses the summary of its value, at most 500 characters', async () => {
    const { summary } = await runPython(buildMain('return {"summary": "é" * 900}'))
    expect([...summary]).toHaveLength(500)
  })

  it.each([
    [4094, 'string'],
    [4095, 'object'],
  ])('returns 4,096 bytes inline and stores more (%i characters)', async (size, type) => {
    const result = await runPython(buildMain(`return "x" * ${size}`))
    expect(result.status).toBe('completed')
    expect(typeof result.output).toBe(type)
    if (type === 'string') return
    expect(result.output).toEqual({
      truncated: true,
      blob_id: result.output_blobs[0],
      size_bytes: size + 2,
    })
    const store = await result.runtime.blobs()
    const content = await text(await store.read(result.output_blobs[0] as string))
    expect(JSON.parse(content)).toBe('x'.repeat(size))
  })

  it('imports siblings and itself by its dotted name', async () => {
    const code = `import helper\nVALUE = 7\ndef main(args):\n    from skills.test.run_it import VALUE\n    from skills.test.run_it.helper import WORD\n    return [helper.WORD, VALUE, WORD]\n`
    const result = await runPython(code, { files: { 'code/helper.py': 'WORD = "w"\n' } })
    expect(result.output).toEqual(['w', 7, 'w'])
  })

  it('returns the result of the first process only', async () => {
    const code = 'if os.fork() == 0: return "forked"\nos.wait()\nreturn "first"'
    expect((await runPython(buildMain(code))).output).toBe('first')
  })

  it('is not delayed by a daemon that it leaves, and leaves none', async () => {
    const mark = `skills-daemon-${process.pid}`
    const result = await runPython(
      buildMain(
        `if os.fork() == 0:\n    os.setsid()\n    os.execv("/bin/sleep", ["${mark}", "600"])\nreturn 1`,
      ),
    )
    expect(result.status).toBe('completed')
    expect(readCommandLines().filter((line) => line.includes(mark))).toEqual([])
  })
})

describe('a run that fails', () => {
  it.each([
    ['ValueError', 'raise ValueError("bad")'],
    ['Exited', 'sys.exit("x")'],
    ['Exited', 'os._exit(0)'],
    ['Killed', 'ctypes.string_at(0)'],
    ['Killed', 'os.kill(os.getpid(), 9)'],
    ['Killed', 'os.abort()'],
    ['SerializationError', 'return float("nan")'],
    ['SerializationError', 'return {1, 2}'],
    ['SerializationError', 'a = []\na.append(a)\nreturn a'],
    ['SerializationError', 'v = []\nfor _ in range(300): v = [v]\nreturn v'],
    ['Timeout', 'time.sleep(60)'],
    ['Timeout', 'while True: pass'],
    ['Timeout', 'os.closerange(0, 1024)\ntime.sleep(60)'],
    ['Timeout', 'os.kill(os.getpid(), signal.SIGSTOP)'],
    ['Exited', 'os.closerange(3, 1024)\nreturn 1'],
    ['OutputLimit', 'while True: print("x" * 1000)'],
    ['DiskLimit', 'with open("/workspace/a", "wb") as f:\n    while True: f.write(bytes(1 << 20))'],
    ['DiskLimit', 'f = open("/workspace/a", "wb"); f.truncate(1 << 40)'],
  ])('reports %s for: %s', async (type, code) => {
    const result = await runPython(buildMain(code), {
      timeoutMs: type === 'Timeout' ? 700 : 20_000,
      settings: { 'run.limits.workspace': 8 << 20 },
    })
    expect(result.status).toBe('failed')
    expect(result.error?.type).toBe(type)
    expect(result.output).toBeUndefined()
    expect(result.summary).not.toBe('')
  })

  it.each([
    ['MemoryLimit', 'x = []\nwhile True: x.append(b"x" * 10_000_000)'],
    [
      'MemoryLimit',
      'while True:\n    if os.fork() == 0:\n        b = b"x" * 20_000_000\n        time.sleep(60)',
    ],
    ['ProcessLimit', 'while True: os.fork()'],
    ['ProcessLimit', 'for _ in range(500): threading.Thread(target=time.sleep, args=(9,)).start()'],
  ])('reports %s for all processes together: %s', async (type, code) => {
    const memory = type === 'MemoryLimit' ? 128 << 20 : 512 << 20
    const settings = { 'run.limits.memory': memory }
    const result = await runPython(buildMain(code), { settings })
    expect(result.isolation?.tier).toBe('strict')
    expect(result.error?.type).toBe(type)
    expect(result.error?.limit).toBeDefined()
  })

  it('reports CpuLimit if a process used its time up', async () => {
    const settings = { 'run.limits.cpu_time': 1000 }
    expect((await runPython(buildMain('while True: pass'), { settings })).error?.type).toBe(
      'CpuLimit',
    )
  })

  it('cannot open more files than its limit', async () => {
    const code = 'files = []\nwhile True: files.append(open("/dev/null"))'
    const { error } = await runPython(buildMain(code))
    expect(error).toMatchObject({ type: 'OSError', message: expect.stringContaining('Errno 24') })
  })

  it('reports EntrypointNotFound if the function is missing or not callable', async () => {
    for (const code of ['x = 1\n', 'main = 1\n']) {
      const { error } = await runPython(code)
      expect(error?.type).toBe('EntrypointNotFound')
      expect(error?.message).toBe('"code/main.py" has no function "main"')
    }
  })

  it('shows a traceback of the skill only, without a path of this machine', async () => {
    const { error, dir } = await runPython(buildMain('raise KeyError("k")'))
    expect(error?.traceback).toContain('File "/skills/test.run-it/code/main.py", line 4, in main')
    expect(error?.traceback).not.toContain('/guest/')
    expect(error?.traceback).not.toContain(dir)
    expect(error?.traceback).not.toContain(process.env['HOME'])
  })

  it('cannot be forged by writing to the channel', async () => {
    const forged =
      'for fd in range(3, 64):\n    try: os.write(fd, b"R" * 500)\n    except OSError: pass'
    for (const end of ['return "real"', 'os._exit(0)']) {
      const { error } = await runPython(buildMain(`${forged}\n${end}`))
      // The content that such bytes overwrote is unknown.
      expect(error?.type).toBe('SandboxError')
      expect(error?.message).toBe('Something other than the runtime wrote to the result channel')
    }
  })
})

describe('a finished run', () => {
  it('leaves no folder, no control group and no process', async () => {
    await runPython(buildMain('open("/tmp/a", "w").write("x")\nraise ValueError()'))
    const staged = join(tmpdir(), `skills-runs-${process.getuid?.()}`)
    // The files of the guest serve all runs of this process.
    const entries = readdirSync(staged).filter(
      (name) => name.includes(`.${process.pid}-`) && !name.includes('.guest-'),
    )
    expect(entries).toEqual([])
    expect(readCommandLines().filter((line) => line.includes('/guest/init.py'))).toEqual([])
    expect(findGroups()).toEqual([])
  })

  it('leaves nothing that the next run can see', async () => {
    const write = 'open("/tmp/mark", "w").close(); open("/dev/shm/mark", "w").close()'
    expect(
      (await runPython(buildMain(`${write}\nreturn os.path.exists("/tmp/mark")`))).output,
    ).toBe(true)
    const code = 'return [os.path.exists(p) for p in ("/tmp/mark", "/dev/shm/mark")]'
    expect((await runPython(buildMain(code))).output).toEqual([false, false])
  })
})

describe('a run that cannot start', () => {
  it('needs no program but Python', async () => {
    const settings = { 'run.python': '/usr/bin/python3' }
    const call = { env: { PATH: createFolder() } }
    expect((await runPython(buildMain('return 1'), { settings, call })).output).toBe(1)
  })

  it('is rejected if bubblewrap is selected but not installed, with the command', async () => {
    const python = createFolder()
    const env = { PATH: python }
    const settings = { 'run.python': '/usr/bin/python3', 'run.backend': 'bubblewrap' }
    const run = runPython(buildMain('return 1'), { settings, call: { env } })
    await expect(run).rejects.toMatchObject({ code: 'sandbox/unavailable' })
    await expect(run.catch((error: SkillsError) => error.hint)).resolves.toContain('doctor --fix')
  })

  it('is rejected without Python', async () => {
    const run = runPython(buildMain('return 1'), { call: { env: { PATH: createFolder() } } })
    await expect(run).rejects.toMatchObject({ code: 'language/not-installed' })
  })

  it.each([0, -1, 1.5, 600_001])('is rejected with a timeout of %d ms', async (timeoutMs) => {
    await expect(runPython(buildMain('return 1'), { timeoutMs })).rejects.toMatchObject({
      code: 'params/invalid',
    })
  })

  it('is rejected for an unknown blob', async () => {
    const blobs = [`blob:${'0'.repeat(32)}`, 'blob:../../etc/passwd']
    for (const blob of blobs) {
      await expect(runPython(buildMain('return 1'), { blobs: [blob] })).rejects.toMatchObject({
        code: 'blob/not-found',
      })
    }
  })

  it('ends with the caller, with no process left alive', async () => {
    const stop = new AbortController()
    const run = runPython(buildMain('print("up", flush=True)\ntime.sleep(60)'), {
      call: { signal: stop.signal, onEvent: ({ type }) => type === 'log' && stop.abort() },
    })
    await expect(run).rejects.toMatchObject({ code: 'run/cancelled' })
    expect(readCommandLines().filter((line) => line.includes('/guest/init.py'))).toEqual([])
  })
})

it('opens no store before something is stored', async () => {
  const data = createFolder()
  await createRuntimeIn(data)
  expect(existsSync(join(data, 'blobs'))).toBe(false)
})

/** Only processes that this one started, because other tests may be running. */
function readCommandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isDescendant(Number(name)))
    .map((pid) => readIfExists(`/proc/${pid}/cmdline`).replaceAll('\0', ' '))
}

function isDescendant(pid: number): boolean {
  for (let at = pid; at > 1;) {
    at = Number(/^PPid:\s*(\d+)/m.exec(readIfExists(`/proc/${at}/status`))?.[1] ?? 0)
    if (at === process.pid) return true
  }
  return false
}

function findGroups(): string[] {
  const memory = readIfExists('/proc/self/cgroup')
    .split('\n')
    .find((line) => line.includes(':memory:'))
  const parents = [
    `/sys/fs/cgroup/memory${memory?.split(':')[2] ?? ''}`,
    '/sys/fs/cgroup/pids',
    '/sys/fs/cgroup',
  ]
  return parents
    .filter((path) => existsSync(path))
    .flatMap((path) => readdirSync(path))
    .filter((name) => name.startsWith(`skills.${process.pid}-`))
}

function readIfExists(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
