import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../../../src/core/config/load-config.ts'
import { createRuntime } from '../../../../src/core/runtime.ts'
import { keepWarm } from '../../../../src/core/sandbox/warm/keep-warm.ts'
import type { WarmSandboxes } from '../../../../src/core/sandbox/warm/warm-sandboxes.ts'
import { folder } from '../../../helpers/skills.ts'
import { runPython } from '../../runs/run-python.ts'
import { warmRuntime } from './warm-runtime.ts'

const CODE = 'def main(args):\n    return "done"\n'

/** How a run came to its sandbox; that it was right does not depend on it. */
async function pathBy(warm: WarmSandboxes | undefined, flags: Record<string, unknown> = {}) {
  const cwd = folder()
  const env = { PATH: process.env['PATH'], HOME: cwd }
  const all = { 'directories.data': cwd, ...flags }
  const { config } = await loadConfig({ cwd, env, file: undefined, noFiles: true, flags: all })
  const runtime = createRuntime({ config, cacheDir: null, warm })
  const { output, isolation } = await runtime.runCode(
    { language: 'python', code: CODE },
    { cwd, env },
  )
  expect(output).toBe('done')
  return [isolation?.path, isolation?.reason]
}

it('a run is forked where a zygote serves it, and by itself where none is kept', async () => {
  const { warm } = await warmRuntime()
  expect(await pathBy(warm)).toEqual(['warm', 'zygote'])
  expect(await pathBy(undefined)).toEqual(['cold', 'single call'])
})

it('a run is cold while the zygote starts, and while the next one does', async () => {
  const env = { PATH: process.env['PATH'] }
  const warm = keepWarm({ cwd: '/', env, python: undefined })
  onTestFinished(async () => await warm.stop())
  expect(await pathBy(warm)).toEqual(['cold', 'starting'])
  await warm.settled()
  expect(await pathBy(warm)).toEqual(['warm', 'zygote'])
  process.kill(warm.pid as number, 'SIGKILL')
  // Whoever comes before its death is known is served by what is there, or by itself.
  await expect.poll(async () => warm.pid, { interval: 1, timeout: 10_000 }).toBeUndefined()
  const [path, reason] = await pathBy(warm)
  expect(['restarting', 'zygote']).toContain(reason)
  expect(path).toBe(reason === 'zygote' ? 'warm' : 'cold')
  await expect.poll(async () => await pathBy(warm), { timeout: 20_000 }).toEqual(['warm', 'zygote'])
})

it('a run with a network has a sandbox of its own', async () => {
  const { warm } = await warmRuntime()
  const { isolation, output } = await runPython('def main(args):\n    return "done"\n', {
    warm,
    toml: '[permissions]\nnetwork = ["https://example.org"]\n',
    call: { allowNetwork: true },
  })
  expect(output).toBe('done')
  expect(isolation).toMatchObject({ path: 'cold', reason: 'network' })
})

it('a run of another interpreter has a sandbox of its own', async () => {
  const env = { PATH: '/usr/bin:/bin' }
  const warm = keepWarm({ cwd: '/', env, python: undefined })
  onTestFinished(async () => await warm.stop())
  await warm.settled()
  const other = folder()
  execFileSync('/usr/bin/python3', ['-m', 'venv', '--without-pip', other])
  chmodSync(other, 0o755)
  const python = join(other, 'bin/python3')
  expect(await pathBy(warm, { 'run.python': python })).toEqual(['cold', 'other interpreter'])
  expect(await pathBy(warm, { 'run.python': '/usr/bin/python3' })).toEqual(['warm', 'zygote'])
})

it('a run of a backend that forks none says so', async () => {
  const { warm } = await warmRuntime()
  expect(await pathBy(warm, { 'run.backend': 'process' })).toEqual(['cold', 'other backend'])
})

it('a run is cold where no zygote can be, which is tried again later', async () => {
  const env = { PATH: process.env['PATH'] }
  const warm = keepWarm({ cwd: '/', env, python: '/usr/bin/no-such-python' })
  onTestFinished(async () => await warm.stop())
  await warm.settled()
  expect(warm.problem).toContain('no-such-python')
  expect(await pathBy(warm)).toEqual(['cold', 'not possible here'])
})
