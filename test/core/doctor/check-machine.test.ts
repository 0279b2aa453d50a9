import { expect, it, vi } from 'vitest'
import type { DoctorCheck } from '../../../src/core/doctor/check.ts'
import { checkMachine, runChecks } from '../../../src/core/doctor/check-machine.ts'
import { createMachine } from '../../helpers/machine.ts'
import { createFolder } from '../../helpers/skills.ts'

/** Returns a function whose calls resolve when it was called `count` times. */
function createMeeting(count: number): () => Promise<void> {
  let calls = 0
  let release = () => {}
  const all = new Promise<void>((resolve) => (release = resolve))
  return async () => {
    calls += 1
    if (calls === count) release()
    await all
  }
}

it('checks that wait for each other to begin all end, and their records keep the order', async () => {
  const ids = ['first', 'second', 'third']
  const meet = createMeeting(ids.length)
  /** Each opens when a check has ended and the one before waits for it, so the last one ends first. */
  const gates = ids.map(() => createMeeting(2))
  const ended: string[] = []
  const checks = ids.map((id, at): DoctorCheck => ({
    id,
    title: id,
    needed: true,
    run: async () => {
      await meet()
      await gates[at + 1]?.()
      ended.push(id)
      void gates[at]?.()
      return { ok: true, detail: '' }
    },
  }))
  const records = await runChecks(checks, await createMachine())
  expect(ended).toEqual(['third', 'second', 'first'])
  expect(records.map(({ id }) => id)).toEqual(ids)
})

it('checks and the trials of backends that wait for each other to begin all end', async () => {
  const machine = await createMachine({ path: createFolder() })
  const { repository, sandboxes } = machine
  const meet = createMeeting(2)
  const findProblems = repository.problems.bind(repository)
  vi.spyOn(repository, 'problems').mockImplementation(async () => {
    await meet()
    return await findProblems()
  })
  const openBackend = sandboxes.openBackend.bind(sandboxes)
  vi.spyOn(sandboxes, 'openBackend').mockImplementation(async (name) => {
    // Only the list of backends opens this one.
    if (name === 'process') await meet()
    return await openBackend(name)
  })
  const { checks, backends } = await checkMachine(machine)
  expect(checks.find(({ id }) => id === 'skills')).toMatchObject({ ok: true })
  expect(backends.map(({ name }) => name)).toContain('process')
})
