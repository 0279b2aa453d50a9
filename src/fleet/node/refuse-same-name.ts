import { setTimeout as sleep } from 'node:timers/promises'
import { SkillsError } from '../../errors.ts'
import type { Engine } from '../engine/engine.ts'
import { decodeMessage } from '../messages/encoding.ts'
import { HEARTBEAT_MS } from '../messages/node-state.ts'
import type { NodeIdentity } from './identity.ts'

/** Throws if another node with this name is heard: others would take both for one that restarts. */
export async function refuseSameName(
  engine: Engine,
  role: 'front' | 'worker',
  { name }: NodeIdentity,
): Promise<void> {
  let isHeard = false
  const stop = engine.subscribe(`hb.${role === 'front' ? 'f' : 'w'}.${name}`, ({ body }) => {
    const { isLeaving } = (decodeMessage(body) ?? {}) as { isLeaving?: boolean }
    isHeard ||= isLeaving !== true
  })
  await sleep(HEARTBEAT_MS * 2.4)
  stop()
  if (!isHeard) return
  throw new SkillsError('config/invalid', `The fleet has a ${role} named "${name}" already`, {
    hint: 'Choose another name with --name',
  })
}
