import {
  isNameOwner,
  type NameOwner,
  type NameOwners,
} from '../../core/skills/uploads/name-owners.ts'
import { SkillsError } from '../../errors.ts'
import type { Engine } from '../engine/engine.ts'
import { decodeMessage } from '../messages/encoding.ts'
import { encodeToken } from './subject-token.ts'

const PREFIX = 'k.owners.'

/** Owners in the engine, one message for each name, which all nodes read. */
export function openFleetNameOwners(engine: Engine): NameOwners {
  const find = async (name: string): Promise<NameOwner | undefined> => {
    const message = await engine.last('state', getSubject(name))
    if (!message) return undefined
    const { owner } = (decodeMessage(message.body) ?? {}) as { owner?: unknown }
    if (isNameOwner(owner)) return owner
    throw damagedOwnerError(name)
  }
  return {
    find,
    async claim(name, owner) {
      await engine.create('state', getSubject(name), JSON.stringify({ owner }))
      return (await find(name)) as NameOwner
    },
    async transfer(name, owner) {
      await engine.append('state', getSubject(name), JSON.stringify({ owner }))
    },
  }
}

function getSubject(name: string): string {
  return `${PREFIX}${encodeToken(name)}`
}

function damagedOwnerError(name: string): SkillsError {
  return new SkillsError('store/unavailable', `The owner of ${name} in the fleet is damaged`, {
    hint: `Type "skills grant ${name} --owner <token name> --fleet <url>"`,
  })
}
