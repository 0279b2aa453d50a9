import { toPrintable } from '../../../util/printable.ts'
import { formatPlural } from '../../../util/quantity.ts'
import type { Proof, TraceEvent, TrialReport, TrialResult } from '../trial-report.ts'

const MAX_SHOWN = 160
/** Events of one trial that a summary shows. */
const MAX_EVENTS = 12

const VERBS: Readonly<Record<TraceEvent['kind'], string>> = {
  started: 'started',
  opened: 'opened',
  resolved: 'looked up',
  connected: 'connected to',
  sent: 'sent',
  wrote: 'wrote',
}

/** Formats a report for people: the proofs with the events before them, then what was not run. */
export function formatTrialReport(report: TrialReport): string {
  const { subjects, proofs, notRun } = report
  const names = new Set(subjects.map(({ subject }) => subject))
  const head = `Ran ${formatPlural(names.size, 'part')} of ${toPrintable(report.skill)} ${formatPlural(subjects.length, 'time')}: ${
    proofs.length === 0 ? 'nothing proved' : `${proofs.length} proved`
  }`
  const proved = proofs.flatMap((proof) => ['', ...formatProof(proof, report)])
  const left = notRun.map(
    ({ subject, reason }) => `Not run: ${toShortLine(subject)}, ${toShortLine(reason)}`,
  )
  return [head, ...proved, ...(left.length > 0 ? ['', ...left] : [])]
    .map((line) => `${line}\n`)
    .join('')
}

function formatProof(proof: Proof, { subjects }: TrialReport): string[] {
  const { subject, variant, message, repeat } = proof
  const trial = subjects.find(
    (each) => each.subject === subject && each.variant === variant && hasEvent(each, proof),
  )
  const events = trial
    ? trial.trace.filter(({ atMs }) => atMs <= proof.event.atMs).slice(-MAX_EVENTS)
    : [proof.event]
  return [
    `${toShortLine(subject)} (${toShortLine(variant)}): ${toShortLine(message, 400)}`,
    ...events.map((event) => `  ${formatEvent(event)}`),
    `  Repeat: ${toShortLine(repeat, 400)}`,
  ]
}

function hasEvent({ trace }: TrialResult, { event }: Proof): boolean {
  return trace.length === 0 || trace.some(({ atMs }) => atMs <= event.atMs)
}

/** Formats every trial of a report, event by event. */
export function formatTrace(report: TrialReport): string {
  const trials = report.subjects.flatMap(({ subject, variant, outcome, durationMs, trace }) => [
    `${toShortLine(subject)} (${toShortLine(variant)}): ${toShortLine(outcome)} after ${durationMs} ms`,
    ...trace.toSorted((a, b) => a.atMs - b.atMs).map((event) => `  ${formatEvent(event)}`),
    '',
  ])
  return `${trials.join('\n')}\n${formatTrialReport(report)}`
}

function formatEvent({ atMs, kind, detail, bytes, markers }: TraceEvent): string {
  const size = kind === 'sent' && bytes !== undefined ? ` (${bytes} bytes)` : ''
  const found =
    markers && markers.length > 0
      ? `, with the content of ${markers.map((each) => toShortLine(each)).join(', ')}`
      : ''
  return `${String(atMs).padStart(5)} ms  It ${VERBS[kind]} ${toShortLine(detail)}${size}${found}`
}

function toShortLine(text: string, limit = MAX_SHOWN): string {
  const plain = toPrintable(text)
  return plain.length <= limit ? plain : `${plain.slice(0, limit - 1)}…`
}
