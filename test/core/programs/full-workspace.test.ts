// @module-tag slow
import { expect, it } from 'vitest'
import { createExecutor } from '../../helpers/execute.ts'
import { runAction } from '../runs/run-action.ts'

const SETTINGS = '[run.limits]\nworkspace = "16MiB"\n'
const FILL = 'head -c 30000000 /dev/zero > big'
const DEFAULT_SIGNAL = `import os, signal
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
fd = os.open("big", os.O_WRONLY | os.O_CREAT)
for _ in range(30): os.write(fd, bytes(1 << 20))`

it('a program whose write does not fit continues after it', async () => {
  const { run } = await createExecutor(SETTINGS)
  const code = `${FILL}; echo "code $?"; rm big; echo x > small; cat small`
  expect(await run({ runtime: 'shell', code })).toMatchObject({
    status: 'success',
    stdoutSummary: 'code 1\nx\n',
    stderrSummary: expect.stringMatching(/No space left|File too large/) as unknown,
  })
})

it('a program ends with its own exit code, and not by a signal', async () => {
  const { run } = await createExecutor(SETTINGS)
  const ended = await run({ runtime: 'shell', code: `exec ${FILL}` })
  expect(ended).toMatchObject({ exitCode: 1, signal: null })
  // The control: with the signal's usual action, the same write ends the program.
  const killed = await run({ runtime: 'python', code: DEFAULT_SIGNAL })
  expect(killed).toMatchObject({ exitCode: null, signal: 'SIGXFSZ' })
})

it('a function in shell continues after a write that does not fit', async () => {
  const code = `. /guest/shell/runtime.sh 2>/dev/null\nmain() { ${FILL} 2>/dev/null; json code=$?; }\n`
  const settings = { 'run.limits.workspace': '16MiB' }
  const { output, error } = await runAction('shell', code, { settings })
  expect({ output, error }).toEqual({ output: { code: '1' } })
})

it('a command whose kept workspace is full goes on without writes, and its answer says why', async () => {
  const { runtime, home } = await createExecutor(SETTINGS)
  const call = { cwd: home, env: { PATH: process.env['PATH'] } }
  const command =
    'for i in 1 2 3; do head -c 10000000 /dev/zero > $i; done; while echo x > late; do sleep 0.1; done; echo goes on'
  try {
    const { warnings, output } = await runtime.workspaceExec(
      { session: 's', agent: 'a', command },
      call,
    )
    expect(output).toContain('goes on')
    expect(warnings?.join('\n')).toMatch(/The workspace is full.*run\.limits\.workspace/)
  } finally {
    await (await runtime.sharedSandboxes()).stop()
  }
})
