import { describe, expect, it } from 'vitest'
import { resolveTools } from '../../src/agent/profiles.ts'
import { loadConfig } from '../../src/core/config/load-config.ts'
import { createRuntime } from '../../src/core/runtime.ts'
import { openLocalCaller } from '../../src/server/rpc/local-caller.ts'
import { SILENT_LOG } from '../../src/server/telemetry/request-log.ts'
import { createFolder } from '../helpers/skills.ts'
import { INHERITED_ENV } from '../helpers/inherited-env.ts'

async function open(flags: Record<string, unknown> = {}) {
  const cwd = createFolder()
  const env = { HOME: cwd, ...INHERITED_ENV }
  const { config } = await loadConfig({ cwd, env, flags, noFiles: true })
  const runtime = createRuntime({ config })
  const local = openLocalCaller({ runtime, cwd, env, allowNetwork: false, log: SILENT_LOG })
  const call = async (name: string, params: object) => {
    const [method] = resolveTools([name])
    if (!method) throw new Error(`no ${name}`)
    const { signal } = new AbortController()
    const options = { signal, traceparent: undefined, onEvent: () => {} }
    return (await local.caller.call(method, params, options)) as Record<string, unknown>
  }
  const run = async (code: string) => await call('run_code', { language: 'python', code })
  return { runtime, local, call, run }
}

const CODE = 'def main(args):\n    return 1'

describe('openLocalCaller()', () => {
  it('prepares no forks before the first run and forks later ones', async () => {
    const { runtime, local, call, run } = await open()
    await call('list_skills', {})
    expect(runtime.sandboxes.pool).toBeUndefined()
    expect(await run(CODE)).toMatchObject({ isolation: { path: 'cold', reason: 'single call' } })
    await expect.poll(() => runtime.sandboxes.pool).toBeDefined()
    const warm = runtime.sandboxes.pool
    await warm?.waitUntilSettled()
    expect(await run(CODE)).toMatchObject({ output: 1, isolation: { path: 'warm' } })
    const pid = warm?.pid ?? 0
    process.kill(pid, 0)
    await local.end()
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  it('prepares no forks if the configuration disables them', async () => {
    const { runtime, local, run } = await open({ 'run.warm': false })
    for (let at = 0; at < 2; at++) {
      expect(await run(CODE)).toMatchObject({ isolation: { reason: 'single call' } })
    }
    expect(runtime.sandboxes.pool).toBeUndefined()
    await local.end()
  })
})
