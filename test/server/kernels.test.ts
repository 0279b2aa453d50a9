// @module-tag slow
import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { parseTokens } from '../../src/server/auth/tokens.ts'
import { expectAlive } from '../helpers/program.ts'
import { startServe } from '../helpers/served.ts'
import { startTestServer } from '../helpers/server.ts'
import { createFolder } from '../helpers/skills.ts'

const ALICE = 'alice-token-0123456789'
const BOB = 'bob-token-01234567890'
const READER = 'reader-token-0123456789'
const TOKENS = `${ALICE} alice\n${BOB} bob\n${READER} reader read\n`
const CELL = { language: 'python', kernel: 'k' } as const

describe('kernels over the wire', () => {
  it('keep variables for their own token only', async () => {
    const { url } = await startTestServer({ tokens: parseTokens(TOKENS, 'tokens.txt') })
    const [alice, bob, reader] = [ALICE, BOB, READER].map((token) => createClient({ url, token }))
    if (!alice || !bob || !reader) throw new Error('three clients are expected')
    await alice.runCode({ ...CELL, code: 'x = 42' })
    expect(await bob.runCode({ ...CELL, code: 'x' })).toMatchObject({
      error: { type: 'NameError' },
      kernel: { cell: 1 },
    })
    expect(await alice.runCode({ ...CELL, code: 'x' })).toMatchObject({ output: 42 })
    const { kernels } = await alice.listKernels()
    expect(kernels).toMatchObject([{ kernel: 'k', language: 'python', state: 'idle', cells: 2 }])
    await bob.endKernel({ kernel: 'k' })
    await expect(bob.interruptKernel({ kernel: 'k' })).rejects.toMatchObject({ code: -32602 })
    expect(await alice.runCode({ ...CELL, code: 'x' })).toMatchObject({ output: 42 })
    await expect(reader.listKernels()).rejects.toMatchObject({ code: -32002 })
    expect(await alice.restartKernel({ kernel: 'k' })).toMatchObject({ language: 'python' })
    expect(await alice.runCode({ ...CELL, code: 'x' })).toMatchObject({
      error: { type: 'NameError' },
    })
  })

  it('interrupt a cell of another call', async () => {
    const { url } = await startTestServer()
    const client = createClient({ url })
    await client.runCode({ ...CELL, code: 'import time\nx = 1' })
    const running = client.runCode({ ...CELL, code: 'time.sleep(60)' })
    const interrupt = async () => (await client.interruptKernel({ kernel: 'k' })).interrupted
    await expect.poll(interrupt, { timeout: 30_000 }).toBe(true)
    expect(await running).toMatchObject({ error: { type: 'KeyboardInterrupt' } })
    expect(await client.runCode({ ...CELL, code: 'x' })).toMatchObject({ output: 1 })
  })

  it('interrupt a cell when its caller disconnects, and keep the variables', async () => {
    const { url } = await startTestServer()
    const client = createClient({ url })
    await client.runCode({ ...CELL, code: 'import time\nx = 1' })
    const ended = new AbortController()
    const running = client.runCode({ ...CELL, code: 'time.sleep(60)' }, { signal: ended.signal })
    const state = async () => (await client.listKernels()).kernels[0]?.state
    await expect.poll(state, { timeout: 30_000 }).toBe('busy')
    ended.abort()
    await expect(running).rejects.toThrow()
    await expect.poll(state, { timeout: 30_000 }).toBe('idle')
    expect(await client.runCode({ ...CELL, code: 'x' })).toMatchObject({ output: 1 })
  })

  it('end with the server, and leave no process behind when it is killed', async () => {
    const mark = `kernel-server-${process.pid}`
    const served = await startServe(['--no-auth'], { cwd: createFolder() })
    const client = createClient({ url: served.url })
    const daemon = `import subprocess\nsubprocess.Popen(["bash", "-c", "setsid -f bash -c 'exec -a ${mark} sleep 600'"])\nNone`
    await client.runCode({ ...CELL, code: daemon })
    // Control: the daemon is there as long as the server.
    await expectAlive(mark, 1)
    served.process.kill('SIGKILL')
    await served.ended
    await expectAlive(mark, 0)
  })
})
