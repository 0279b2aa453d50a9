import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { buildShellArgv, runProgram } from './run-warm.ts'

/** Waits for a condition, however busy the machine is. */
async function waitUntil(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(10)
}

describe('a program', () => {
  it('returns its streams, its exit code and a record', async () => {
    const ran = await runProgram(buildShellArgv('echo out; echo err >&2; exit 3'))
    expect(ran).toMatchObject({ status: 'failure', exitCode: 3, signal: null, truncated: false })
    expect([ran.stdout, ran.stderr]).toEqual(['out\n', 'err\n'])
    expect([ran.stdoutBytes, ran.stderrBytes]).toEqual([4, 4])
    const record = await (await ran.runtime.runs()).get(ran.runId)
    expect(record).toMatchObject({
      kind: 'workspace',
      status: 'failed',
      request: { program: { executable: '/bin/sh', cwd: '/workspace' } },
      exit: { code: 3, signal: null },
    })
  })

  it('can reopen its streams by path, unlike a socket', async () => {
    const ran = await runProgram(
      buildShellArgv('echo a > /dev/stderr; cat /dev/stdin > /dev/stdout'),
      {
        plan: { stdin: Buffer.from('typed') },
      },
    )
    expect(ran).toMatchObject({ status: 'success', stdout: 'typed', stderr: 'a\n' })
  })

  it('has its own environment and no variables of the caller', async () => {
    const ran = await runProgram(['/usr/bin/env'], {
      call: { env: { PATH: process.env['PATH'], CANARY: 'x' } },
      plan: { program: { argv: ['/usr/bin/env'], cwd: '/workspace', env: { OWN: '1' } } },
    })
    expect(ran.stdout.trim().split('\n').sort()).toEqual([
      'HOME=/workspace',
      'LANG=C.UTF-8',
      'OWN=1',
      'PATH=/usr/local/bin:/usr/bin:/bin',
      'TMPDIR=/tmp',
    ])
  })

  it('that does not exist returns an error', async () => {
    const ran = await runProgram(['/no/such'])
    expect(ran).toMatchObject({ status: 'failure', exitCode: null, error: { type: 'NotStarted' } })
    expect(ran.error?.message).toBe(
      '"/no/such" cannot be started: the file, or the interpreter in its first line, does not exist',
    )
  })

  it('creates its start folder if it may', async () => {
    const program = (cwd: string) => ({ program: { argv: ['/bin/pwd'], cwd, env: {} } })
    const created = await runProgram(['/bin/pwd'], { plan: program('/workspace/a/b') })
    expect(created.stdout).toBe('/workspace/a/b\n')
    const refused = await runProgram(['/bin/pwd'], { plan: program('/usr/nothing') })
    expect(refused.error?.message).toBe(
      'The folder to start in cannot be used: it does not exist, and cannot be made in a read-only folder',
    )
  })

  it('that is ended by a signal reports it', async () => {
    const ran = await runProgram(buildShellArgv('kill -KILL $$'))
    expect(ran).toMatchObject({ status: 'failure', exitCode: null, signal: 'SIGKILL' })
  })

  it('over its timeout is ended, whatever it does with signals', { tags: ['slow'] }, async () => {
    const ran = await runProgram(
      buildShellArgv('trap "" TERM INT HUP; echo up; while :; do sleep 1; done'),
      {
        plan: { limits: { wallMs: 1500 } },
      },
    )
    expect(ran).toMatchObject({ status: 'timeout', stdout: 'up\n', error: { type: 'Timeout' } })
  })

  it('that leaves a process behind ends with its main process, and the other is killed', async () => {
    const began = Date.now()
    const ran = await runProgram(buildShellArgv('(sleep 600; echo late) & echo done'))
    expect(ran).toMatchObject({ status: 'success', stdout: 'done\n' })
    expect(Date.now() - began).toBeLessThan(300_000)
  })

  // A busy machine may give them no time within that moment, a tenth of a second.
  it(
    'receives the final output of processes that it left for a moment',
    { retry: 20 },
    async () => {
      const ran = await runProgram(['/bin/bash', '-c', 'echo a > >(cat; echo b)'])
      expect(ran.stdout).toBe('a\nb\n')
    },
  )

  it('over its output limit is ended, or continues with its output dropped', async () => {
    const settings = { 'run.limits.output': '100KiB' }
    const ended = await runProgram(['/usr/bin/yes'], { settings })
    expect(ended).toMatchObject({
      status: 'failure',
      truncated: true,
      error: { type: 'OutputLimit' },
    })
    expect(ended.stdout.length).toBe(102_400)
    const result = await runProgram(buildShellArgv('head -c 1000000 /dev/zero; exit 7'), {
      settings,
      plan: { dropsOutput: true },
    })
    expect(result).toMatchObject({ status: 'failure', exitCode: 7, truncated: true })
    expect(result.stdout.length).toBeLessThanOrEqual(102_400)
    expect(result.stdout.length).toBeGreaterThan(102_000)
    expect(result.stdoutBytes).toBe(1_000_000)
  })

  it('reads input that is written while it runs', async () => {
    const ran = await runProgram(['/bin/cat'], {
      plan: { stdin: 'open' },
      during: async ({ stdin, isWaiting }, getOutput) => {
        await waitUntil(isWaiting)
        stdin?.write('one')
        await waitUntil(() => getOutput() === 'one')
        stdin?.end('two')
      },
    })
    expect(ran).toMatchObject({ status: 'success', stdout: 'onetwo' })
  })

  it('that does not read its input blocks no other process', async () => {
    const ran = await runProgram(buildShellArgv('sleep 0.2; echo done'), {
      plan: { stdin: Buffer.alloc(10_000_000) },
    })
    expect(ran).toMatchObject({ status: 'success', stdout: 'done\n' })
  })

  it('is cancelled with an outcome', async () => {
    const controller = new AbortController()
    const ran = await runProgram(buildShellArgv('echo up; sleep 600'), {
      call: { signal: controller.signal },
      during: async (_, getOutput) => {
        await waitUntil(() => getOutput() !== '')
        controller.abort()
      },
    })
    expect(ran).toMatchObject({ status: 'cancelled', exitCode: null })
    expect((await (await ran.runtime.runs()).get(ran.runId)).status).toBe('cancelled')
  })

  it('never shows a secret, however it prints it', async () => {
    const ran = await runProgram(
      buildShellArgv('echo $TOKEN; printf %s "$TOKEN" | base64; echo $TOKEN >&2'),
      {
        plan: { secrets: { TOKEN: 'hunter2-of-programs' } },
      },
    )
    expect(ran.stdout + ran.stderr).toContain('[redacted]')
    expect(ran.stdout + ran.stderr).not.toMatch(/hunter2|aHVudGVy/)
  })

  it('finds granted blobs', async () => {
    const first = await runProgram(['/bin/true'])
    const { blob_id: id } = await first.runtime.createBlob({
      content: 'of a blob',
      kind: 'text/plain',
    })
    const ran = await runProgram(buildShellArgv(`cat "/blobs/${id}"`), {
      data: first.data,
      plan: { inputBlobs: [id] },
    })
    expect(ran.stdout).toBe('of a blob')
  })
})

describe('a program with a terminal', () => {
  const terminal = (argv: readonly string[]) => ({
    program: { argv, cwd: '/workspace', env: {}, terminal: { columns: 90, rows: 30 } },
  })

  it('detects it, with the requested size, and is notified of a resize', async () => {
    const argv = [
      '/bin/bash',
      '-c',
      'trap "stty size" WINCH; tty; stty size; read x; read x; echo $x',
    ]
    const ran = await runProgram(argv, {
      plan: terminal(argv),
      during: async ({ stdin, resize, isWaiting }, getOutput) => {
        await waitUntil(isWaiting)
        resize(100, 40)
        stdin?.write('\n')
        await waitUntil(() => getOutput().includes('40 100'))
        stdin?.write('end\n')
      },
    })
    expect(ran.stdout).toMatch(/^\/dev\/pts\/\d+\r\n30 90\r\n/)
    expect(ran).toMatchObject({ status: 'success', stderr: '' })
    expect(ran.stdout.endsWith('end\r\n')).toBe(true)
  })

  it('is interrupted by Ctrl-C, and ends at the end of its input', async () => {
    // The signal ends the inner shell also if it comes before that has become sleep.
    const script = 'trap "echo int" INT; (echo up; exec sleep 600); cat; echo end'
    const argv = ['/bin/bash', '-c', script]
    const ran = await runProgram(argv, {
      plan: terminal(argv),
      during: async ({ stdin, isWaiting }, getOutput) => {
        await waitUntil(() => getOutput().includes('up'))
        stdin?.write('\u0003')
        await waitUntil(() => getOutput().includes('int'))
        await waitUntil(isWaiting)
        stdin?.end('last words\n')
      },
    })
    expect(ran.stdout.endsWith('last words\r\nlast words\r\nend\r\n')).toBe(true)
  })

  it('reports waiting for input only while it waits', async () => {
    const argv = ['/bin/bash', '-c', 'echo busy; sleep 1; read -p "name: " name; echo "<$name>"']
    const ran = await runProgram(argv, {
      plan: terminal(argv),
      during: async ({ stdin, isWaiting }, getOutput) => {
        await waitUntil(() => getOutput().includes('busy'))
        expect(await isWaiting()).toBe(false)
        await waitUntil(isWaiting)
        expect(getOutput()).toContain('name: ')
        stdin?.write('x\n')
      },
    })
    expect(ran.stdout).toContain('<x>')
  })

  it('reports waiting for input only after all earlier output was received', async () => {
    let received = 0
    let before = 0
    await runProgram(buildShellArgv('head -c 150000 /dev/zero; read x'), {
      plan: {
        stdin: 'open',
        sinks: {
          async stdout(chunk) {
            await sleep(150)
            received += chunk.length
          },
          stderr: () => {},
        },
      },
      during: async ({ stdin, isWaiting }) => {
        await waitUntil(isWaiting)
        before = received
        stdin?.end()
      },
    })
    expect(before).toBe(150_000)
  })
})
