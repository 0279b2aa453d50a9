import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { loadConfig } from '../../../../src/core/config/load-config.ts'
import { createRuntime } from '../../../../src/core/runtime.ts'
import type { Executor } from '../../../../src/core/sandbox/executor/executor.ts'
import { createFolder } from '../../../helpers/skills.ts'
import { collectUnhandled } from '../../../helpers/unhandled.ts'

/** An executor whose connection is lost: its streams end with an error, at once or a bit later. */
function createLosingExecutor(streams: 'bytes' | 'text', afterMs: number): Executor {
  return {
    name: 'losing',
    streams,
    guarantees: { isolates: [], limits: [] },
    start: async () => {
      const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
      stdin.resume()
      const exited = new Promise<{ exitCode: null }>((resolve) => {
        setTimeout(() => {
          for (const each of [stdin, stdout, stderr]) each.destroy(new Error('connection lost'))
          resolve({ exitCode: null })
        }, afterMs)
      })
      return await Promise.resolve({ stdin, stdout, stderr, exited, kill: () => {} })
    },
  }
}

it.each([
  ['bytes', 0],
  ['bytes', 300],
  ['text', 0],
  ['text', 300],
] as const)(
  'a lost connection of an executor of %s fails its run after %i ms',
  async (streams, ms) => {
    const errors = collectUnhandled()
    const dir = createFolder()
    const env = { HOME: dir, PATH: process.env['PATH'] }
    const flags = { 'directories.data': dir }
    const { config } = await loadConfig({ cwd: dir, env, noFiles: true, flags })
    const executor = createLosingExecutor(streams, ms)
    const runtime = createRuntime({ config, executor, cacheDir: null })
    const code = 'def main(args):\n    return 1\n'
    const run = runtime.runCode({ language: 'python', code }, { cwd: dir, env })
    await expect(run).rejects.toThrow(/losing/)
    expect(errors).toEqual([])
  },
  60_000,
)
