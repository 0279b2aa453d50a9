import { isDeepStrictEqual } from 'node:util'
import type { CallAnswer } from '../../../src/fleet/messages/call-messages.ts'
import type { CallHistory } from './call-history.ts'

/** A property that each call has, whatever failed meanwhile. Returns what contradicts it. */
export interface Invariant {
  name: string
  check(call: CallHistory): string | undefined
}

/** Outcomes whose callers may repeat the call: it did not begin. */
const NOT_BEGUN = new Set(['run/busy', 'fleet/no-worker'])

const isAnswered: Invariant = {
  name: 'each asked call is answered',
  check({ asked, answered, killed }) {
    for (const { node } of asked) {
      if (killed.has(node)) continue
      const questions = asked.filter((each) => each.node === node).length
      const answers = answered.filter((each) => each.node === node).length
      if (answers < questions) return `"${node}" got ${answers} of ${questions} answers`
    }
    return undefined
  },
}

const isStored: Invariant = {
  name: 'a completed call has a stored end with the same answer',
  check(call) {
    const stored = readAnswer(call)
    for (const { outcome, result, node } of call.answered) {
      if (outcome !== 'completed') continue
      if (!stored) return `"${node}" got a result, and no end is stored`
      if (!('result' in stored) || !isDeepStrictEqual(stored.result, result))
        return `"${node}" got ${JSON.stringify(result)}, stored is ${JSON.stringify(stored)}`
    }
    return undefined
  },
}

const agreesWithEnd: Invariant = {
  name: 'no answer contradicts the stored end',
  check(call) {
    const stored = readAnswer(call)
    const code = stored && 'error' in stored ? stored.error.code : undefined
    for (const { outcome } of call.answered) {
      if (outcome === 'run/interrupted' && code !== outcome)
        return `told "${outcome}", stored is ${JSON.stringify(stored)}`
      if (outcome === 'run/cancelled' && call.begins.length > 0 && code !== outcome)
        return `told "${outcome}", stored is ${JSON.stringify(stored)}`
    }
    return undefined
  },
}

const keepsLateEnds: Invariant = {
  name: 'an end that lost has a late message',
  check({ ends, end, late, killed }) {
    const lost = ends.find(({ node }) => end && end.node !== node && !killed.has(node))
    if (!lost || late?.node === lost.node) return undefined
    return `"${lost.node}" ended after "${end?.node}" had stored an end, and wrote no late one`
  },
}

const endsRuns: Invariant = {
  name: 'a call that ended on its worker has a stored end',
  check({ ends, end, killed }) {
    const ended = ends.find(({ node }) => !killed.has(node))
    return ended && !end ? `it ended on "${ended.node}"` : undefined
  },
}

const beginsOnce: Invariant = {
  name: 'a call begins at most once',
  check({ begins, fences }) {
    const begun = [...fences.values()].filter(({ t }) => t === 'begun')
    if (begun.length > 1) return `${begun.length} fences say begun`
    if (begins.length <= 1) return undefined
    return `it began on ${begins.map(({ node, attempt }) => `${node} (attempt ${attempt})`).join(', ')}`
  },
}

const beginsUnderFence: Invariant = {
  name: 'a call begins only under a fence of its worker',
  check({ begins, fences }) {
    for (const { node, attempt } of begins) {
      const fence = fences.get(attempt)
      if (fence?.t !== 'begun' || fence.node !== node)
        return `it began on "${node}" in attempt ${attempt}, whose fence is ${JSON.stringify(fence)}`
    }
    return undefined
  },
}

const neverBegan: Invariant = {
  name: 'a refused call never began',
  check({ answered, begins }) {
    const isRefused = answered.length > 0 && answered.every(({ outcome }) => NOT_BEGUN.has(outcome))
    return isRefused && begins.length > 0 ? `it began on "${begins[0]?.node}"` : undefined
  },
}

const saysInterrupted: Invariant = {
  name: 'an interrupted call has an end with this status',
  check({ answered, end }) {
    const isInterrupted = answered.some(({ outcome }) => outcome === 'run/interrupted')
    if (!isInterrupted || end?.status === 'interrupted') return undefined
    return `the status of its end is ${end?.status}`
  },
}

export const INVARIANTS: readonly Invariant[] = [
  isAnswered,
  isStored,
  agreesWithEnd,
  keepsLateEnds,
  endsRuns,
  beginsOnce,
  beginsUnderFence,
  neverBegan,
  saysInterrupted,
]

function readAnswer({ end }: CallHistory): CallAnswer | undefined {
  return end?.answer as CallAnswer | undefined
}
