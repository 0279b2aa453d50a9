import { createHash } from 'node:crypto'
import { parsePolicy } from '../../core/policy/parse-policy.ts'
import type { PolicyFile, PolicyScope } from '../../core/policy/policy.ts'
import { SkillsError } from '../../errors.ts'
import type { Engine, StoredMessage } from '../engine/engine.ts'
import { MAX_MESSAGE_BYTES } from '../messages/call-messages.ts'
import { decodeMessage, encodeMessage } from '../messages/encoding.ts'

export const POLICY_SUBJECT = 'ac.policy.current'

/** The policy of a fleet, which adds restrictions to those of each worker. */
export interface StoredPolicy {
  text: string
  /** `sha256:<hex>` of the text. */
  digest: string
  /** Operator that pushed it. */
  by: string
  /** ISO 8601. */
  at: string
}

export interface FleetRestrictions {
  scopes: readonly PolicyScope[]
  file: PolicyFile
}

/** Name of the policy in messages. */
const NAME = "the fleet's policy"

/** Checks a policy and stores it instead of the earlier one. Throws `policy/invalid`. */
export async function pushPolicy(
  engine: Engine,
  { file, text, by }: { file: string; text: string; by: string },
): Promise<StoredPolicy> {
  parsePolicy(file, text, 'fleet')
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
  const policy: StoredPolicy = { text, digest, by, at: new Date().toISOString() }
  const body = encodeMessage(policy)
  if (Buffer.byteLength(body) > MAX_MESSAGE_BYTES) {
    throw new SkillsError('policy/invalid', `"${file}" is too large for the policy of a fleet`, {
      hint: `Use less than ${MAX_MESSAGE_BYTES} bytes`,
    })
  }
  await engine.append('access', POLICY_SUBJECT, body)
  return policy
}

/** Reads the policy of a fleet; undefined if it has none. */
export async function readPolicy(engine: Engine): Promise<StoredPolicy | undefined> {
  const stored = await engine.last('access', POLICY_SUBJECT)
  return stored && decodePolicy(stored)
}

/** Throws `policy/invalid` if the policy cannot be read: it allows nothing then. */
export function parseRestrictions(stored: StoredMessage): FleetRestrictions {
  const { text, digest } = decodePolicy(stored)
  const { scopes } = parsePolicy(NAME, text, 'fleet')
  return { scopes, file: { path: NAME, trust: 'project', digest } }
}

function decodePolicy({ body }: StoredMessage): StoredPolicy {
  const stored: { readonly [Name in keyof StoredPolicy]?: unknown } | undefined =
    decodeMessage(body)
  const { text, digest, by, at } = stored ?? {}
  const areTexts = [text, digest, by, at].every((each) => typeof each === 'string')
  if (areTexts) return stored as StoredPolicy
  throw new SkillsError('policy/invalid', 'The policy of the fleet is damaged', {
    hint: 'Push it again: skills fleet policy push <file>',
  })
}
