// @module-tag slow
// @module-tag nightly
import { describe, expect, it } from 'vitest'
import { countAlive, expectAlive } from '../../../helpers/program.ts'
import { openKernels } from './in-kernel.ts'

const DAEMON = (mark: string) =>
  `import subprocess\nsubprocess.Popen(["bash", "-c", "setsid -f bash -c 'exec -a ${mark} sleep 600'"])\nNone`

let lastMark = 0
function createMark(): string {
  lastMark += 1
  return `kernel-${process.pid}-${lastMark}`
}

describe('kernels', () => {
  it('belong to one caller: another one gets its own under the same id', async () => {
    const { python, runtime, call } = await openKernels()
    await python('secret = 42\nopen("/tmp/f", "w").write("mine")')
    const other = { caller: { principal: 'bob' } }
    const foreign = await python('import os\nos.listdir("/tmp")', { call: other })
    expect(foreign).toMatchObject({ output: [], kernel: { cell: 1 } })
    expect((await python('secret', { call: other })).error?.type).toBe('NameError')
    expect((await runtime.kernel({ action: 'list' }, { ...call, ...other })).kernels).toHaveLength(
      1,
    )
    await runtime.kernel({ action: 'end', kernel: 'k' }, { ...call, ...other })
    expect((await python('secret')).output).toBe(42)
    await expect(
      runtime.kernel({ action: 'end', kernel: 'k' }, { ...call, ...other }),
    ).rejects.toMatchObject({
      code: 'kernel/not-found',
    })
  })

  it('of one caller are limited in number', async () => {
    const { python } = await openKernels({}, { maxPerCaller: 1 })
    await python('1')
    await expect(python('1', { kernel: 'second' })).rejects.toMatchObject({
      code: 'run/busy',
      hint: expect.stringContaining('living: k'),
    })
    expect(
      (await python('1', { kernel: 'second', call: { caller: { principal: 'bob' } } })).output,
    ).toBe(1)
  })

  it('make room for another caller if there are too many, and say so', async () => {
    const { python } = await openKernels({}, { max: 1 })
    await python('x = 1')
    await python('1', { call: { caller: { principal: 'bob' } } })
    expect((await python('1')).kernel?.notice).toMatch(/to make room for another kernel/)
  })

  it('end when they are idle', async () => {
    const mark = createMark()
    const { python } = await openKernels({}, { idleMs: 2000 })
    await python(DAEMON(mark))
    await expectAlive(mark, 1)
    await expectAlive(mark, 0)
    expect((await python('1')).kernel?.notice).toMatch(/idle for more than 2 seconds/)
  })

  it('leave no process behind when they end', async () => {
    const mark = createMark()
    const { python, runtime, call } = await openKernels()
    await python(DAEMON(mark))
    await expectAlive(mark, 1)
    await runtime.kernel({ action: 'end', kernel: 'k' }, call)
    expect(countAlive(mark)).toBe(0)
  })

  it('leave no process behind when their interpreter ends', async () => {
    const mark = createMark()
    const { python } = await openKernels()
    await python(DAEMON(mark))
    await expectAlive(mark, 1)
    await python('import os\nos._exit(1)')
    await expectAlive(mark, 0)
  })

  it('have a limit of memory for all of their cells', async () => {
    const { python } = await openKernels({ 'run.limits.memory': '128MiB' })
    expect((await python('a = bytearray(40 * 1024 ** 2)\nlen(a)')).output).toBe(41943040)
    const { error } = await python('b = bytearray(200 * 1024 ** 2)')
    expect(error?.type).toMatch(/Memory/)
    // Control: the same code with the memory of a run.
    expect(
      (await python('len(bytearray(200 * 1024 ** 2))', { kernel: 'other' })).error,
    ).toBeDefined()
    const wide = await openKernels({ 'run.limits.memory': '512MiB' })
    expect((await wide.python('len(bytearray(200 * 1024 ** 2))')).status).toBe('completed')
  })

  it('have a limit of processes', async () => {
    const { python } = await openKernels({ 'run.limits.processes': 12 })
    const code =
      'import subprocess\nall = []\ntry:\n    for _ in range(40): all.append(subprocess.Popen(["sleep", "60"]))\nexcept OSError as e: failed = e\nlen(all)'
    const { output } = await python(code)
    expect(output).toBeLessThan(12)
  })

  it('refuse a cell that needs another language, skill or blob', async () => {
    const { python, node, runtime } = await openKernels()
    await python('1')
    await expect(node('1')).rejects.toMatchObject({ code: 'kernel/fixed' })
    const { blob_id } = await runtime.createBlob({ kind: 'text/plain', content: 'x' })
    await expect(python('1', { input_blobs: [blob_id] })).rejects.toMatchObject({
      code: 'kernel/fixed',
      message: `The kernel "k" was started without the blob "${blob_id}"`,
    })
    await expect(python('1', { mount_skills: ['skills.protocol.guide'] })).rejects.toMatchObject({
      code: 'kernel/fixed',
    })
    const given = await python(`from runtime import blobs\nblobs.read_text("${blob_id}")`, {
      kernel: 'with-blob',
      input_blobs: [blob_id],
    })
    expect(given.output).toBe('x')
    expect((await python(`blobs.read_text("${blob_id}")`, { kernel: 'with-blob' })).output).toBe(
      'x',
    )
  })

  it('refuse what a cell cannot have', async () => {
    const { python, runtime, call } = await openKernels()
    const wrong = [
      { kernel: 'a b' },
      { kernel: '' },
      { kernel: 'x'.repeat(65) },
      { entrypoint: 'f' },
    ]
    for (const each of wrong) {
      await expect(python('1', each)).rejects.toMatchObject({ code: 'params/invalid' })
    }
    await expect(
      runtime.runCode({ language: 'shell', code: ':', kernel: 'k' }, call),
    ).rejects.toMatchObject({ code: 'params/invalid' })
  })

  it('are refused without a sandbox', async () => {
    const { python } = await openKernels({ 'run.backend': 'process' })
    await expect(python('1')).rejects.toMatchObject({ code: 'sandbox/too-weak' })
  })

  it('show arguments to the cell that has them', async () => {
    const { python } = await openKernels()
    expect((await python('args["n"] + 1', { args: { n: 1 } })).output).toBe(2)
  })
})
