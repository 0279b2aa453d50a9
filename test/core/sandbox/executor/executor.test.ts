import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { loadConfig } from '../../../../src/core/config/load-config.ts'
import { createRuntime } from '../../../../src/core/runtime.ts'
import type { Executor, ExecutorProcess } from '../../../../src/core/sandbox/executor/executor.ts'
import { Sandboxes } from '../../../../src/core/sandbox/sandboxes.ts'
import { createFolder } from '../../../helpers/skills.ts'

const CODE = { language: 'python', code: 'def main(args):\n    return 1\n' } as const

async function createRuntimeWith(executor: Executor, settings: Record<string, unknown> = {}) {
  const dir = createFolder()
  const env = { HOME: dir, PATH: process.env['PATH'] }
  const flags = { 'directories.data': dir, ...settings }
  const { config } = await loadConfig({ cwd: dir, env, noFiles: true, flags })
  const runtime = createRuntime({ config, executor, cacheDir: null })
  return { runtime, config, call: { cwd: dir, env } }
}

/** An executor whose command prints some text, and exits. */
function createExecutor(
  own: Partial<Executor> & { output?: string; errors?: string } = {},
): Executor {
  const { output = '', errors = '', ...rest } = own
  return {
    name: 'fake',
    guarantees: { isolates: [], limits: [] },
    async start(): Promise<ExecutorProcess> {
      const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
      stdin.resume()
      stdout.end(output)
      stderr.end(errors)
      return { stdin, stdout, stderr, exited: Promise.resolve({ exitCode: 1 }), kill: () => {} }
    },
    ...rest,
  }
}

it.each<[string, unknown, string]>([
  ['no name', { name: '' }, 'its name is not'],
  ['a name with a line break', { name: 'a\nb' }, 'its name is not'],
  ['no start', { start: undefined }, 'it has no function start'],
  [
    'an unknown guarantee',
    { guarantees: { isolates: ['all'], limits: [] } },
    'guarantees.isolates is not a list of files',
  ],
  ['no limits', { guarantees: { isolates: [] } }, 'guarantees.limits is not a list of cpu'],
  ['other streams', { streams: 'lines' }, 'streams is neither'],
  ['a relative folder', { folder: 'tmp' }, 'folder is not an absolute path'],
  ['a folder with ..', { folder: '/tmp/../x' }, 'folder is not an absolute path'],
  ['a folder with a space', { folder: '/a b' }, 'folder is not an absolute path'],
])('an executor with %s is refused', async (_, own, message) => {
  const { runtime, call } = await createRuntimeWith(createExecutor(own as Partial<Executor>))
  await expect(runtime.runCode(CODE, call)).rejects.toThrow(message)
})

it('an executor next to another choice of a sandbox is refused', async () => {
  const executor = createExecutor()
  await expect(createRuntimeWith(executor, { 'run.backend': 'container' })).rejects.toThrow(
    'Expected one way to execute runs, got an executor and run.backend = "container"',
  )
  const { config } = await createRuntimeWith(executor)
  expect(() => createRuntime({ config, executor, sandboxes: new Sandboxes() })).toThrow(
    'got an executor and sandboxes of another runtime',
  )
})

it('strict isolation is refused with what the executor does not guarantee, before a start', async () => {
  let started = 0
  const executor = createExecutor({
    guarantees: { isolates: ['files', 'network', 'processes'], limits: ['memory'] },
    start: async () => {
      started += 1
      throw new Error('unexpected')
    },
  })
  const { runtime, call } = await createRuntimeWith(executor, { 'run.require_isolation': 'strict' })
  await expect(runtime.runCode(CODE, call)).rejects.toMatchObject({
    code: 'sandbox/too-weak',
    message:
      'Strict isolation is required, but the executor "fake" does not guarantee: user, system calls, the limit of processes',
  })
  expect(started).toBe(0)
})

it.each<[string, Partial<Executor> & { output?: string; errors?: string }, string]>([
  [
    'cannot start',
    { start: async () => await Promise.reject(new Error('no place left')) },
    'The executor "fake" did not start a command: no place left',
  ],
  [
    'has no Python',
    { errors: 'sh: python3: not found\n' },
    'The sandbox did not start: the executor "fake": sh: python3: not found',
  ],
  ['prints something else', { output: 'Welcome to the machine\n' }, 'it ended with code 1'],
  [
    'prints something else on streams of text',
    { output: 'python3: command not found\n', streams: 'text' },
    'the executor "fake": python3: command not found',
  ],
])('the error of an executor that %s says so', async (_, own, message) => {
  const { runtime, call } = await createRuntimeWith(createExecutor(own))
  const thrown = await runtime.runCode(CODE, call).catch((error: unknown) => error)
  expect(thrown).toMatchObject({ code: 'sandbox/unavailable' })
  expect((thrown as Error).message).toContain(message)
})

it('commands of a session do not share a sandbox, and the guidance of models knows it', async () => {
  const { runtime } = await createRuntimeWith(createExecutor())
  expect(runtime.config.workspace.sandbox).toBe('command')
})
