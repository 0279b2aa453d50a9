import type { HistoryEntry } from './history.ts'

export interface Summary {
  calls: number
  begun: number
  /** Answers by outcome. */
  outcomes: Record<string, number>
  /** Milliseconds from a fault of a worker to each answer that its run was interrupted. */
  reportedAfterMs: number[]
  slowestMs: number
}

type Answered = Extract<HistoryEntry, { t: 'answered' }>

/** Counts what happened to the calls that were asked since a time. */
export function summarize(entries: readonly HistoryEntry[], since = 0): Summary {
  const asked = new Map<string, number>()
  const workers = new Map<string, string>()
  for (const entry of entries) {
    if (entry.t === 'asked' && entry.at >= since) asked.set(entry.call, entry.at)
    if (entry.t === 'begin') workers.set(entry.call, entry.node)
  }
  const answers = entries.filter(
    (entry): entry is Answered => entry.t === 'answered' && asked.has(entry.call),
  )
  const outcomes: Record<string, number> = {}
  for (const { outcome } of answers) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  return {
    calls: asked.size,
    begun: [...asked.keys()].filter((call) => workers.has(call)).length,
    outcomes,
    reportedAfterMs: answers
      .filter(({ outcome }) => outcome === 'run/interrupted')
      .flatMap((answer) => measureReport(entries, workers.get(answer.call), answer.at))
      .sort((a, b) => a - b),
    slowestMs: Math.max(0, ...answers.map(({ call, at }) => at - (asked.get(call) ?? at))),
  }
}

/** The time since the last fault of a worker. */
function measureReport(
  entries: readonly HistoryEntry[],
  worker: string | undefined,
  answeredAt: number,
): number[] {
  const fault = entries.findLast(
    (entry) => entry.t === 'fault' && entry.node === worker && entry.at <= answeredAt,
  )
  return fault ? [answeredAt - fault.at] : []
}
