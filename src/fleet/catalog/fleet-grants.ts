import { isGrant, type SkillGrant, type SkillGrants } from '../../core/skills/uploads/grant.ts'
import type { Engine, StoredMessage } from '../engine/engine.ts'
import { decodeMessage } from '../messages/encoding.ts'
import { encodeToken } from './subject-token.ts'

const PREFIX = 'k.grants.'

/**
 * Grants in the engine, one message for each version. They are read from the engine each time, so that
 * a revoked grant has no effect on any node from then on.
 */
export function openFleetGrants(engine: Engine): SkillGrants {
  return {
    async list() {
      const grants: SkillGrant[] = []
      for await (const message of engine.list('state', `${PREFIX}*.*`)) {
        const grant = readGrant(message)
        if (grant) grants.push(grant)
      }
      return grants
    },
    async set(grant) {
      const subject = getSubject(grant)
      const isEmpty = grant.secrets.length + grant.network.length === 0
      if (isEmpty) await engine.remove('state', subject)
      else await engine.append('state', subject, JSON.stringify(grant))
    },
  }
}

function getSubject({ name, version }: Pick<SkillGrant, 'name' | 'version'>): string {
  return `${PREFIX}${encodeToken(name)}.${encodeToken(version)}`
}

/** Undefined for a damaged grant, which grants nothing; the others stay in force. */
function readGrant({ subject, body }: StoredMessage): SkillGrant | undefined {
  const grant = decodeMessage(body)
  return isGrant(grant) && getSubject(grant) === subject ? grant : undefined
}
