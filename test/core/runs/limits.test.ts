// @module-tag slow
// @module-tag nightly
import { describe, expect, it } from 'vitest'
import { buildMain, runPython } from './run-python.ts'

const MIB = 1024 ** 2
/** Processor time accumulates slowly on a busy machine. */
const SLOW = { timeout: 120_000 }

/** The result of a run over a limit. All of them name the limit and its value. */
describe('a limit of the whole run', () => {
  it('counts the processor time of all processes, including dead ones', SLOW, async () => {
    const code = `end = time.time() + 60
while time.time() < end:
    if os.fork() == 0:
        stop = time.process_time() + 0.1
        while time.process_time() < stop: pass
        os._exit(0)
    os.wait()`
    const settings = { 'run.limits.cpu_time': 1000 }
    const { error } = await runPython(buildMain(code), { settings, timeoutMs: 100_000 })
    expect(error).toMatchObject({ type: 'CpuLimit', limit: { name: 'cpu', value: 1000 } })
    expect(error?.message).toBe('The run used more than 1 second of processor time')
  })

  it('does not count time spent sleeping', async () => {
    const settings = { 'run.limits.cpu_time': 1000 }
    const { output } = await runPython(buildMain('time.sleep(1.5)\nreturn "slept"'), { settings })
    expect(output).toBe('slept')
  })

  it.each(['/workspace', '/tmp', '/dev/shm', '/blobs'])('counts files in %s', async (folder) => {
    const code = `n = 0\nwhile True:\n    open("${folder}/f%d" % n, "w").close()\n    n += 1`
    const settings = { 'run.limits.workspace': '4MiB' }
    const { error } = await runPython(buildMain(code), { settings })
    expect(error).toMatchObject({ type: 'DiskLimit', limit: { name: 'inodes', value: 1024 } })
    expect(error?.message).toBe('The run created more than 1024 files and folders')
  })

  it('does not count removed files', async () => {
    const code = `for n in range(3000):
    open("/tmp/f", "w").close()
    os.unlink("/tmp/f")
time.sleep(0.2)
return "fine"`
    const { output } = await runPython(buildMain(code), {
      settings: { 'run.limits.workspace': '4MiB' },
    })
    expect(output).toBe('fine')
  })

  it('is the process limit if too many processes need memory', async () => {
    const code = `held = []
while True:
    try:
        if os.fork() == 0: time.sleep(60)
    except OSError: held.append(b"x" * 1000000)`
    const settings = { 'run.limits.processes': 24, 'run.limits.memory': 96 * MIB }
    const { error } = await runPython(buildMain(code), { settings })
    expect(error).toMatchObject({ type: 'ProcessLimit', limit: { name: 'processes', value: 24 } })
  })

  it('is the memory limit if processes were refused long before', async () => {
    const code = `try:
    for _ in range(100): threading.Thread(target=time.sleep, args=(0.2,)).start()
except RuntimeError: pass
time.sleep(3)
x = []
while True: x.append(b"x" * 1000000)`
    const settings = { 'run.limits.processes': 24, 'run.limits.memory': 96 * MIB }
    const { error } = await runPython(buildMain(code), { settings })
    expect(error).toMatchObject({ type: 'MemoryLimit', limit: { name: 'memory', value: 96 * MIB } })
  })

  it('is the memory limit if one allocation is larger than any machine has', async () => {
    const { error } = await runPython(buildMain('bytearray(1 << 46)'))
    expect(error).toMatchObject({ type: 'MemoryLimit', limit: { name: 'memory' } })
  })

  it('is the limit of open files', async () => {
    const code = 'files = []\nwhile True: files.append(open("/dev/null"))'
    const { error } = await runPython(buildMain(code))
    expect(error?.limit).toEqual({ name: 'open_files', value: 1024 })
  })
})
