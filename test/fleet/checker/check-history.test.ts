import { describe, expect, it } from 'vitest'
import type { Fence } from '../../../src/fleet/messages/call-messages.ts'
import type { CallEnd } from '../../../src/fleet/records/run-end.ts'
import type { StoredCall } from './call-history.ts'
import { checkHistory } from './check-history.ts'
import type { HistoryEntry } from './history.ts'
import { INVARIANTS } from './invariants.ts'

const CALL = 'run_1'
const RESULT = { status: 'completed', call: CALL }
const ASKED: HistoryEntry = { t: 'asked', call: CALL, node: 'f1', at: 1 }
const BEGIN: HistoryEntry = { t: 'begin', call: CALL, node: 'w1', attempt: 1, at: 2 }
const END: HistoryEntry = { t: 'end', call: CALL, node: 'w1', attempt: 1, at: 3 }
const COMPLETED = answered('completed', RESULT)
const KILLED: HistoryEntry = kill('w1')
const BEGUN = fence('w1')
const STORED_END = storedEnd('completed', { result: RESULT })
const STORED_INTERRUPTED = storedEnd('interrupted', {
  error: { code: 'run/interrupted', message: '' },
})

function answered(outcome: string, result?: unknown): HistoryEntry {
  return { t: 'answered', call: CALL, node: 'f1', outcome, result, at: 4 }
}

function kill(node: string): HistoryEntry {
  return { t: 'fault', fault: 'kill', node, at: 2 }
}

function fence(node: string): Fence {
  return { t: 'begun', node, start: 'a', at: '', digest: '' }
}

function storedEnd(status: CallEnd['status'], answer: unknown): CallEnd {
  const node = status === 'interrupted' ? 'f1' : 'w1'
  return { node, start: 'a', status, answer }
}

function store(call: Omit<StoredCall, 'fences'>, ...fences: Fence[]): StoredCall {
  return { ...call, fences: new Map(fences.map((each, at) => [at + 1, each])) }
}

function check(entries: HistoryEntry[], stored?: StoredCall): string[] {
  const found = checkHistory(entries, new Map(stored ? [[CALL, stored]] : []))
  return [...new Set(found.map(({ invariant }) => invariant))]
}

/** For each invariant, a history that breaks it. */
const BROKEN: Record<string, [entries: HistoryEntry[], stored?: StoredCall]> = {
  'each asked call is answered': [[ASKED, ASKED, COMPLETED], store({ end: STORED_END }, BEGUN)],
  'a completed call has a stored end with the same answer': [
    [ASKED, BEGIN, END, answered('completed', { status: 'completed', call: 'run_2' })],
    store({ end: STORED_END }, BEGUN),
  ],
  'no answer contradicts the stored end': [
    [ASKED, BEGIN, END, answered('run/cancelled')],
    store({ end: STORED_END }, BEGUN),
  ],
  'an end that lost has a late message': [
    [ASKED, BEGIN, END, answered('run/interrupted')],
    store({ end: STORED_INTERRUPTED }, BEGUN),
  ],
  'a call that ended on its worker has a stored end': [
    [ASKED, BEGIN, END, answered('run/unknown')],
    store({}, BEGUN),
  ],
  'a call begins at most once': [
    [ASKED, BEGIN, BEGIN, END, COMPLETED],
    store({ end: STORED_END }, BEGUN),
  ],
  'a call begins only under a fence of its worker': [
    [ASKED, BEGIN, END, COMPLETED],
    store({ end: STORED_END }, { t: 'revoked', node: 'f1', at: '' }),
  ],
  'a refused call never began': [[ASKED, BEGIN, KILLED, answered('run/busy')], store({}, BEGUN)],
  'an interrupted call has an end with this status': [
    [ASKED, BEGIN, KILLED, answered('run/interrupted')],
    store({ end: { ...STORED_INTERRUPTED, status: 'completed' } }, BEGUN),
  ],
}

describe('checkHistory()', () => {
  it('accepts a call that completed', () => {
    expect(check([ASKED, BEGIN, END, COMPLETED], store({ end: STORED_END }, BEGUN))).toEqual([])
  })

  it('accepts a call whose worker was killed', () => {
    const entries = [ASKED, BEGIN, KILLED, answered('run/interrupted')]
    expect(check(entries, store({ end: STORED_INTERRUPTED }, BEGUN))).toEqual([])
  })

  it('accepts an interrupted call with a late end', () => {
    const entries = [ASKED, BEGIN, END, answered('run/interrupted')]
    const stored = store({ end: STORED_INTERRUPTED, late: STORED_END }, BEGUN)
    expect(check(entries, stored)).toEqual([])
  })

  it('accepts a call without an answer if its front was killed', () => {
    expect(check([ASKED, BEGIN, END, kill('f1')], store({ end: STORED_END }, BEGUN))).toEqual([])
  })

  it.each(INVARIANTS.map(({ name }) => name))('finds a history that breaks "%s"', (name) => {
    const [entries, stored] = BROKEN[name] ?? [[]]
    expect(check(entries, stored)).toContain(name)
  })

  it('finds a second fence that says begun', () => {
    const stored = store({ end: STORED_END }, BEGUN, fence('w2'))
    expect(check([ASKED, BEGIN, END, COMPLETED], stored)).toEqual(['a call begins at most once'])
  })

  it('finds a result without a stored end', () => {
    const found = check([ASKED, BEGIN, END, COMPLETED], store({}, BEGUN))
    expect(found).toContain('a completed call has a stored end with the same answer')
  })
})
