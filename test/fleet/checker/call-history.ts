import type { Fence } from '../../../src/fleet/messages/call-messages.ts'
import type { CallEnd } from '../../../src/fleet/records/run-end.ts'
import type { HistoryEntry } from './history.ts'

/** The messages of one call that the engine stores. */
export interface StoredCall {
  /** By attempt. */
  fences: ReadonlyMap<number, Fence>
  end?: CallEnd | undefined
  late?: CallEnd | undefined
}

/** Everything that is known of one call: entries of the histories, and what the engine stores. */
export interface CallHistory extends StoredCall {
  id: string
  asked: Extract<HistoryEntry, { t: 'asked' }>[]
  answered: Extract<HistoryEntry, { t: 'answered' }>[]
  begins: Extract<HistoryEntry, { t: 'begin' | 'end' }>[]
  ends: Extract<HistoryEntry, { t: 'begin' | 'end' }>[]
  /** Nodes that were killed: they write no answers and no late ends. */
  killed: ReadonlySet<string>
}

/** Joins the entries of all processes by call. */
export function groupByCall(
  entries: readonly HistoryEntry[],
  stored: ReadonlyMap<string, StoredCall>,
): CallHistory[] {
  const calls = new Map<string, CallHistory>()
  const killed = new Set<string>()
  const find = (id: string) => {
    const found = calls.get(id)
    if (found) return found
    const { fences = new Map(), end, late } = stored.get(id) ?? {}
    const lists = { asked: [], answered: [], begins: [], ends: [] }
    const call: CallHistory = { id, ...lists, killed, fences, end, late }
    calls.set(id, call)
    return call
  }
  for (const entry of entries) {
    if (entry.t === 'asked') find(entry.call).asked.push(entry)
    else if (entry.t === 'answered') find(entry.call).answered.push(entry)
    else if (entry.t === 'fault') {
      if (entry.fault === 'kill') killed.add(entry.node)
    } else if (entry.t === 'begin') find(entry.call).begins.push(entry)
    else find(entry.call).ends.push(entry)
  }
  return [...calls.values()]
}
