// @module-tag slow
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import { CallFleet } from './call-fleet.ts'

it('no worker is given up while the engine is away for longer than a silent worker may be', async () => {
  const fleet = await CallFleet.start()
  onTestFinished(async () => await fleet.close())
  const ids = [createRunId(), createRunId()] as const
  const runs = [fleet.run('front1', ids[0], 1000), fleet.run('front2', ids[1], 9000)]
  await Promise.all(ids.map(async (id) => await fleet.waitForBegin(id)))
  fleet.server.process.kill('SIGSTOP')
  await sleep(7000)
  fleet.server.process.kill('SIGCONT')
  await expect(Promise.all(runs)).resolves.toEqual(['completed', 'completed'])
})
