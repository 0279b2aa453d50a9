// @module-tag slow
// @module-tag nats-server
import { expect, it, onTestFinished } from 'vitest'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import { engineAwayError } from '../../../src/fleet/engine/errors.ts'
import { CallFleet } from './call-fleet.ts'
import { wrapCreate } from './wrap-create.ts'

it('a call whose revocation was stored without an answer continues with the next attempt', async () => {
  let lost = 0
  const fleet = await CallFleet.start({
    wrapEngine: (engine) =>
      wrapCreate(engine, async (write, ...args) => {
        const made = await write(...args)
        if (args[0] !== 'calls' || lost > 0) return made
        lost += 1
        throw engineAwayError('test')
      }),
  })
  onTestFinished(async () => await fleet.close())
  const id = createRunId()
  fleet.delayFences(3000, 1)
  await expect(fleet.run('front1', id, 20)).resolves.toBe('completed')
  expect([lost, fleet.attempts(id)]).toEqual([1, [2]])
})
