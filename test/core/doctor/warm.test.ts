import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { warmCheck } from '../../../src/core/doctor/checks/warm.ts'
import { Sandboxes } from '../../../src/core/sandbox/sandboxes.ts'
import { createMachine } from '../../helpers/machine.ts'
import { createFolder } from '../../helpers/skills.ts'

async function check(flags: Record<string, unknown> = {}, path?: string) {
  return await warmCheck.run(await createMachine({ flags, path }))
}

describe('the warm runs check of the doctor', () => {
  it('reports both paths and their reasons after a successful fork', async () => {
    const { ok, detail, fix } = await check()
    expect([ok, fix]).toEqual([true, undefined])
    for (const word of [
      '"warm"',
      '"zygote"',
      '"cold"',
      '"single call"',
      'network',
      'folders',
      'tools',
    ]) {
      expect(detail).toContain(word)
    }
  })

  it.each([
    [{ 'run.warm': false }, 'run.warm is false'],
    [{ 'run.backend': 'container' }, 'run.backend is "container"'],
    [{ 'run.backend': 'process' }, 'run.backend is "process"'],
  ])('reports that no run is forked because of %j', async (flags, why) => {
    const { ok, detail } = await check(flags)
    expect(ok).toBe(true)
    expect(detail).toMatch(/^every run starts its own sandbox \(path "cold"\): /)
    expect(detail).toContain(why)
  })

  it('reports that no run is forked because of SKILLS_FAST_PATHS', async () => {
    const machine = await createMachine()
    const env = { ...machine.env, SKILLS_FAST_PATHS: 'false' }
    const { detail } = await warmCheck.run({ ...machine, env })
    expect(detail).toContain('(path "cold"): SKILLS_FAST_PATHS is false')
  })

  it('reports why the zygote did not start', async () => {
    const problem = 'it exited without a message'
    const pool = { problem, pid: undefined, waitUntilSettled: async () => {}, stop: async () => {} }
    const spy = vi.spyOn(Sandboxes.prototype, 'keepWarm').mockResolvedValue(pool)
    onTestFinished(() => spy.mockRestore())
    const { ok, detail, fix } = await check()
    expect(ok).toBe(false)
    expect(detail).toMatch(/path "cold".*it exited without a message/)
    expect(fix).toContain('No action is needed')
  })

  it('repeats no problem that every sandbox has', async () => {
    const backend = { 'run.backend': 'bubblewrap' }
    for (const flags of [backend, { 'run.python': '/usr/bin/no-such-python' }]) {
      const { ok, detail } = await check(flags, createFolder())
      expect([ok, detail]).toEqual([null, 'not tried: the sandbox did not start'])
    }
  })
})
