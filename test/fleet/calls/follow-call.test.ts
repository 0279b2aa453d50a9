// @module-tag slow
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import { CallInbox } from '../../../src/fleet/front/call-inbox.ts'
import { followCall } from '../../../src/fleet/front/follow-call.ts'
import { takeFence } from '../../../src/fleet/messages/fence.ts'
import { createIdentity } from '../../../src/fleet/node/identity.ts'
import { CallFleet } from './call-fleet.ts'

const DIGEST = 'sha256:0'

async function startFollowing(id: string) {
  const fleet = await CallFleet.start()
  onTestFinished(async () => await fleet.close())
  const { engine, workers, ends } = fleet.fronts.front1
  const inbox = new CallInbox(engine, 'other')
  onTestFinished(() => inbox.stop())
  const identity = createIdentity('other')
  const services = { engine, workers, ends, inbox, identity, enginePatienceMs: 1500 }
  const call = { id, isRun: true, signal: undefined, onEvent: () => {} }
  return { engine, ends, followed: followCall(services, call, { digest: DIGEST, token: 't' }) }
}

it('a call of which the engine has nothing ends as not found', async () => {
  const id = createRunId()
  const { followed } = await startFollowing(id)
  await expect(followed).rejects.toMatchObject({ code: 'run/not-found', data: { run_id: id } })
})

it('a call whose fence is written late is followed to its end', async () => {
  const id = createRunId()
  const { engine, ends, followed } = await startFollowing(id)
  await sleep(300)
  const fence = { t: 'begun', node: 'w1', start: 'gone', at: '', digest: DIGEST } as const
  await takeFence(engine, { call: id, attempt: 1 }, fence)
  await ends.write(id, { result: { status: 'completed' } })
  await expect(followed).resolves.toEqual({ result: { status: 'completed' } })
})
