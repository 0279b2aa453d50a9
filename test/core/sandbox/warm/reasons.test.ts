import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../../../src/core/config/load-config.ts'
import { createRuntime } from '../../../../src/core/runtime.ts'
import { Sandboxes } from '../../../../src/core/sandbox/sandboxes.ts'
import { createFolder } from '../../../helpers/skills.ts'
import { runPython } from '../../runs/run-python.ts'
import { warmRuntime } from './warm-runtime.ts'

const CODE = 'def main(args):\n    return "done"\n'

/** Reads the path and reason of a run; both paths return the right result. */
async function readSandboxPath(
  sandboxes: Sandboxes | undefined,
  flags: Record<string, unknown> = {},
) {
  const cwd = createFolder()
  const env = { PATH: process.env['PATH'], HOME: cwd }
  const all = { 'directories.data': cwd, ...flags }
  const { config } = await loadConfig({ cwd, env, file: undefined, noFiles: true, flags: all })
  const runtime = createRuntime({ config, cacheDir: null, sandboxes })
  const { output, isolation } = await runtime.runCode(
    { language: 'python', code: CODE },
    { cwd, env },
  )
  expect(output).toBe('done')
  return [isolation?.path, isolation?.reason]
}

it('a run is forked if a zygote serves it, and started cold if none is kept', async () => {
  const { sandboxes } = await warmRuntime()
  expect(await readSandboxPath(sandboxes)).toEqual(['warm', 'zygote'])
  expect(await readSandboxPath(undefined)).toEqual(['cold', 'single call'])
})

it('a run is cold while the zygote or its successor starts', { tags: ['slow'] }, async () => {
  const env = { PATH: process.env['PATH'] }
  const sandboxes = new Sandboxes()
  const warm = await sandboxes.keepWarm({ cwd: '/', env })
  onTestFinished(async () => await sandboxes.stop())
  expect(await readSandboxPath(sandboxes)).toEqual(['cold', 'starting'])
  await warm.waitUntilSettled()
  expect(await readSandboxPath(sandboxes)).toEqual(['warm', 'zygote'])
  process.kill(warm.pid as number, 'SIGKILL')
  // A run that arrives before the death is noticed is served by an idle fork or by a cold start.
  await expect.poll(async () => warm.pid, { interval: 1, timeout: 10_000 }).toBeUndefined()
  const [path, reason] = await readSandboxPath(sandboxes)
  expect(['restarting', 'zygote']).toContain(reason)
  expect(path).toBe(reason === 'zygote' ? 'warm' : 'cold')
  await expect
    .poll(async () => await readSandboxPath(sandboxes), { timeout: 20_000 })
    .toEqual(['warm', 'zygote'])
})

it('a run with network has a sandbox of its own', async () => {
  const { sandboxes } = await warmRuntime()
  const { isolation, output } = await runPython('def main(args):\n    return "done"\n', {
    sandboxes,
    toml: '[permissions]\nnetwork = ["https://example.org"]\n',
    call: { grants: { allowNetwork: true } },
  })
  expect(output).toBe('done')
  expect(isolation).toMatchObject({ path: 'cold', reason: 'network' })
})

it('a run of another interpreter has a sandbox of its own', { tags: ['slow'] }, async () => {
  const env = { PATH: '/usr/bin:/bin' }
  const sandboxes = new Sandboxes()
  const warm = await sandboxes.keepWarm({ cwd: '/', env })
  onTestFinished(async () => await sandboxes.stop())
  await warm.waitUntilSettled()
  const other = createFolder()
  execFileSync('/usr/bin/python3', ['-m', 'venv', '--without-pip', other])
  chmodSync(other, 0o755)
  const python = join(other, 'bin/python3')
  expect(await readSandboxPath(sandboxes, { 'run.python': python })).toEqual([
    'cold',
    'other interpreter',
  ])
  expect(await readSandboxPath(sandboxes, { 'run.python': '/usr/bin/python3' })).toEqual([
    'warm',
    'zygote',
  ])
})

it('a run of a backend without forks reports that as its reason', { tags: ['slow'] }, async () => {
  const { sandboxes } = await warmRuntime()
  expect(await readSandboxPath(sandboxes, { 'run.backend': 'process' })).toEqual([
    'cold',
    'other backend',
  ])
})

it('a run is cold if no zygote can start, which is retried later', { tags: ['slow'] }, async () => {
  const env = { PATH: process.env['PATH'] }
  const sandboxes = new Sandboxes({ python: '/usr/bin/no-such-python' })
  const warm = await sandboxes.keepWarm({ cwd: '/', env })
  onTestFinished(async () => await sandboxes.stop())
  await warm.waitUntilSettled()
  expect(warm.problem).toContain('no-such-python')
  expect(await readSandboxPath(sandboxes)).toEqual(['cold', 'not possible here'])
})
