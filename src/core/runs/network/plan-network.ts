import { SkillsError } from '../../../errors.ts'
import {
  findSharedOwners,
  MAX_PORTS,
  parseNetworkEntry,
  type NetworkEntry,
} from '../../skills/manifest/network-entry.ts'
import type { PrivateExceptions } from '../../sandbox/egress/private-exceptions.ts'
import { requirePrivateExceptions } from './private-setting.ts'

/** Destinations that a run may reach. */
export interface NetworkPlan {
  entries: readonly NetworkEntry[]
  exceptions: PrivateExceptions
  /** Name of the list that grants the destinations, for messages. */
  listName: string
}

/** The list of programs of `runtime.execute`, which have no manifest. */
export const PROGRAM_NETWORK = '[[programs]] of the policy'

/** Parses the granted destinations. A run without any has no network. */
export function planNetwork(
  granted: readonly string[],
  allowPrivate: readonly string[],
  listName = 'permissions.network',
): NetworkPlan | undefined {
  if (granted.length === 0) return undefined
  const exceptions = requirePrivateExceptions(allowPrivate)
  const entries = granted.map((text) => parseEntry(listName, text))
  if (new Set(entries.map(({ port }) => port)).size > MAX_PORTS) {
    throw networkDeniedError(listName, `has more than ${MAX_PORTS} different ports`)
  }
  return { entries, exceptions, listName }
}

/** Plans a network whose filter refuses all attempts, and reports them. */
export function planWatchedNetwork(): NetworkPlan {
  const exceptions = requirePrivateExceptions([])
  return { entries: [], exceptions, listName: 'permissions.network' }
}

/** An entry that cannot be parsed is an error, because guessing could widen the network. */
function parseEntry(listName: string, text: string): NetworkEntry {
  const entry = parseNetworkEntry(text)
  if ('problem' in entry) throw entryDeniedError(listName, text, entry.problem)
  const shared = findSharedOwners(entry)
  if (shared !== undefined) throw entryDeniedError(listName, text, shared)
  return entry
}

function entryDeniedError(listName: string, text: string, problem: string): SkillsError {
  return networkDeniedError(listName, `has "${text}", but ${problem}`)
}

function networkDeniedError(listName: string, problem: string): SkillsError {
  const reason = `${listName} ${problem}`
  return new SkillsError('policy/denied', reason, {
    hint:
      listName === PROGRAM_NETWORK
        ? 'Correct the entries of network in policy.toml'
        : 'Correct permissions.network in skill.toml, or run it without --allow-network',
    data: { reasons: [reason] },
  })
}
