import { SkillsError } from '../../errors.ts'
import {
  findSharedOwners,
  MAX_PORTS,
  parseNetworkEntry,
  type NetworkEntry,
} from '../skills/manifest/network-entry.ts'
import {
  parsePrivateExceptions,
  type PrivateExceptions,
} from '../sandbox/egress/private-exceptions.ts'

/** Destinations that a run may reach. */
export interface NetworkPlan {
  entries: readonly NetworkEntry[]
  exceptions: PrivateExceptions
}

/** Parses the granted destinations. A run without any has no network. */
export function planNetwork(
  granted: readonly string[],
  allowPrivate: readonly string[],
): NetworkPlan | undefined {
  if (granted.length === 0) return undefined
  const exceptions = parsePrivateExceptions(allowPrivate)
  if ('wrong' in exceptions) {
    const expected = 'a host, an address or a range, optionally with a port'
    const message = `run.network.allow_private has "${exceptions.wrong}", expected ${expected}`
    const hint = 'Write for example "10.0.0.0/8", "127.0.0.1:8080" or "wiki.internal:443"'
    throw new SkillsError('config/invalid', message, { hint })
  }
  const entries = granted.map(parseEntry)
  if (new Set(entries.map(({ port }) => port)).size > MAX_PORTS) {
    throw networkDeniedError(`permissions.network has more than ${MAX_PORTS} different ports`)
  }
  return { entries, exceptions }
}

/** An entry that cannot be parsed is an error, because guessing could widen the network. */
function parseEntry(text: string): NetworkEntry {
  const entry = parseNetworkEntry(text)
  if ('problem' in entry) throw entryDeniedError(text, entry.problem)
  const shared = findSharedOwners(entry)
  if (shared !== undefined) throw entryDeniedError(text, shared)
  return entry
}

function entryDeniedError(text: string, problem: string): SkillsError {
  return networkDeniedError(`permissions.network has "${text}", but ${problem}`)
}

function networkDeniedError(reason: string): SkillsError {
  return new SkillsError('policy/denied', reason, {
    hint: 'Correct permissions.network in skill.toml, or run it without --allow-network',
    data: { reasons: [reason] },
  })
}
