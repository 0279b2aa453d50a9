// @module-tag slow
import { describe, expect, it } from 'vitest'
import { openKernels } from './in-kernel.ts'

const PATIENCE = { timeout: 30_000, interval: 20 }

describe('a kernel of Python', () => {
  it('keeps variables, imports and functions for later cells', async () => {
    const { python } = await openKernels()
    await python('import math\nx = 40\ndef add(a): return a + x')
    const { output, kernel } = await python('add(2) + math.floor(0.5)')
    expect(output).toBe(42)
    expect(kernel).toEqual({ id: 'k', cell: 2, value: '42' })
    expect((await python('_ + 1')).output).toBe(43)
  })

  it('returns the value of the last expression only, as JSON if it is that', async () => {
    const { python } = await openKernels()
    expect(await python('1\nx = {"a": [1, None]}\nx')).toMatchObject({
      output: { a: [1, null] },
      kernel: { value: "{'a': [1, None]}" },
    })
    const set = await python('{1}')
    expect(set).toMatchObject({ status: 'completed', output: null, kernel: { value: '{1}' } })
    const none = await python('5\nx = 1')
    expect(none.output).toBeNull()
    expect(none.kernel).not.toHaveProperty('value')
    const long = await python('"a" * 10_000')
    expect(long.output).toMatchObject({ truncated: true })
    expect(long.kernel?.value?.length).toBeLessThan(8200)
  })

  it('captures the output of a cell and of its processes', async () => {
    const { python } = await openKernels()
    const { logs_preview: logs } = await python(
      'import os, sys\nprint("a")\nos.system("echo b")\nprint("c", file=sys.stderr)',
    )
    expect(logs.split('\n').sort().join()).toBe(',a,b,c')
  })

  it('keeps variables after an error, whose traceback has the lines of the cell', async () => {
    const { python } = await openKernels()
    await python('x = 1\ndef half(n):\n    return 1 / n')
    const { status, error } = await python('y = 2\nhalf(0)')
    expect(status).toBe('failed')
    expect(error).toMatchObject({ type: 'ZeroDivisionError', message: 'division by zero' })
    expect(error?.traceback).toContain('File "<cell 2>", line 2, in <module>\n    half(0)')
    expect(error?.traceback).toContain('File "<cell 1>", line 3, in half\n    return 1 / n')
    expect(error?.traceback).not.toContain('guest')
    expect((await python('x + y')).output).toBe(3)
    expect((await python('x y')).error?.traceback).toContain('File "<cell 4>", line 1')
    expect((await python('import sys; sys.exit(3)')).error).toMatchObject({ exit_code: 3 })
    expect((await python('x')).output).toBe(1)
  })

  it('awaits at the top level, with tasks that continue in later cells', async () => {
    const { python } = await openKernels()
    await python(
      'import asyncio\nasync def later():\n    await asyncio.sleep(0.05)\n    return 7\ntask = asyncio.ensure_future(later()) if False else None\nawait asyncio.sleep(0)\ntask = asyncio.get_event_loop().create_task(later())',
    )
    expect((await python('await task')).output).toBe(7)
  })

  it('interrupts a cell at its timeout, and keeps the variables', async () => {
    const { python } = await openKernels()
    await python('x = 1')
    const limits = { timeout_ms: 300 }
    const { error, kernel } = await python('while True: pass', { limits })
    expect(error?.type).toBe('Timeout')
    expect(kernel).not.toHaveProperty('notice')
    expect((await python('x')).output).toBe(1)
  })

  it('is ended if it ignores the interrupt, and the next answer says what is lost', async () => {
    const { python } = await openKernels()
    await python('x = 1')
    const stubborn =
      'import time\nwhile True:\n    try: time.sleep(60)\n    except BaseException: pass'
    const { error, kernel } = await python(stubborn, { limits: { timeout_ms: 300 } })
    expect(error?.type).toBe('Timeout')
    expect(kernel?.notice).toMatch(/has ended, so its variables are lost/)
    const next = await python('x')
    expect(next.error?.type).toBe('NameError')
    expect(next.kernel).toMatchObject({
      cell: 1,
      notice: expect.stringMatching(/variables are lost/),
    })
    expect((await python('1')).kernel).not.toHaveProperty('notice')
  })

  it('reports how its interpreter died, with the output before', async () => {
    const { python } = await openKernels()
    const killed = await python('import os\nprint("before")\nos.kill(os.getpid(), 9)')
    expect(killed).toMatchObject({
      error: { type: 'Killed', signal: 'SIGKILL' },
      logs_preview: 'before\n',
    })
    const left = await python('import os\nprint("again")\nos._exit(0)')
    expect(left).toMatchObject({
      status: 'failed',
      error: { type: 'Exited' },
      logs_preview: 'again\n',
    })
    expect((await python('1')).kernel?.notice).toMatch(/variables are lost/)
  })

  it('is interrupted, listed, restarted and ended by its caller', async () => {
    const { python, runtime, call } = await openKernels()
    await python('x = 1')
    const running = python('import time\ntime.sleep(60)')
    await expect
      .poll(
        async () => (await runtime.kernel({ action: 'list' }, call)).kernels?.[0]?.state,
        PATIENCE,
      )
      .toBe('busy')
    expect(await runtime.kernel({ action: 'interrupt', kernel: 'k' }, call)).toMatchObject({
      interrupted: true,
    })
    expect(await running).toMatchObject({ status: 'failed', error: { type: 'KeyboardInterrupt' } })
    expect((await python('x')).output).toBe(1)
    expect(await runtime.kernel({ action: 'interrupt', kernel: 'k' }, call)).toEqual({
      kernel: 'k',
      interrupted: false,
    })
    await runtime.kernel({ action: 'restart', kernel: 'k' }, call)
    const next = await python('x')
    expect(next.error?.type).toBe('NameError')
    expect(next.kernel).toEqual({ id: 'k', cell: 1 })
    await runtime.kernel({ action: 'end', kernel: 'k' }, call)
    expect((await runtime.kernel({ action: 'list' }, call)).kernels).toEqual([])
    await expect(runtime.kernel({ action: 'interrupt', kernel: 'k' }, call)).rejects.toMatchObject({
      code: 'kernel/not-found',
    })
  })

  it('cancels its running cell when it is ended', async () => {
    const { python, runtime, call } = await openKernels()
    const running = python('import time\ntime.sleep(60)')
    await expect
      .poll(
        async () => (await runtime.kernel({ action: 'list' }, call)).kernels?.[0]?.state,
        PATIENCE,
      )
      .toBe('busy')
    const cancelled = expect(running).rejects.toMatchObject({ code: 'run/cancelled' })
    await runtime.kernel({ action: 'end', kernel: 'k' }, call)
    await cancelled
  })

  it('executes cells one after another', async () => {
    const { python } = await openKernels()
    await python('seen = []')
    const all = [1, 2, 3].map((at) =>
      python(`import time\ntime.sleep(0.05)\nseen.append(${at})\nlen(seen)`),
    )
    expect((await Promise.all(all)).map(({ output }) => output)).toEqual([1, 2, 3])
  })

  it('writes blobs, log lines and progress of each cell', async () => {
    const { python, runtime } = await openKernels()
    const code = 'from runtime import blobs, log\nlog.info("noted")\nb = blobs.write_text("one")\nb'
    const first = await python(code)
    expect(first).toMatchObject({ logs_preview: '[info] noted\n', output_blobs: [first.output] })
    const second = await python(
      'c = blobs.write_text("two")\nblobs.read_text(b) + blobs.read_text(c)',
    )
    expect(second.output).toBe('onetwo')
    expect(second.output_blobs).toHaveLength(1)
    const blob_id = second.output_blobs[0] ?? ''
    expect(await runtime.readBlob({ blob_id })).toMatchObject({ content: 'two' })
  })

  it('records each cell as a run of its own', async () => {
    const { python, runtime } = await openKernels()
    const { run_id: first } = await python('x = 1')
    const { run_id: second } = await python('1/0')
    const runs = await runtime.runs()
    expect(await runs.get(first)).toMatchObject({ kind: 'run_code', status: 'completed' })
    expect(await runs.get(second)).toMatchObject({ status: 'failed' })
  })
})
