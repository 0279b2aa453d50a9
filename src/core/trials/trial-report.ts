/** Kinds of events, in the order in which a trace prints those of the same time. */
export const EVENT_KINDS = ['started', 'opened', 'resolved', 'connected', 'sent', 'wrote'] as const

/** One observation during a trial. */
export interface TraceEvent {
  /** Milliseconds since the start of the trial. */
  atMs: number
  kind: (typeof EVENT_KINDS)[number]
  /** Path below the home, host and port, command line, or name that was looked up. */
  detail: string
  /** Bytes that left, or the size of a written file. */
  bytes?: number
  /** First characters of a sent message or of a written file. */
  excerpt?: string
  /** Labels of the markers that left. */
  markers?: string[]
}

export const PROOF_KINDS = [
  'marker-sent',
  'read-and-sent',
  'document-sent',
  'persistence',
  'fetched-code-run',
  'destruction',
] as const

/** An act of the skill that was observed. */
export interface Proof {
  kind: (typeof PROOF_KINDS)[number]
  subject: string
  variant: string
  /** One sentence that says what the skill did. */
  message: string
  event: TraceEvent
  /** File of the skill that was started. */
  file?: string
  /** Line of the example in that file. */
  line?: number
  /** Command that repeats the trial. */
  repeat: string
}

/** A proof, before it is known which trial it was. */
export type FoundProof = Pick<Proof, 'kind' | 'message' | 'event'>

/** One trial: a subject in one variant of the environment. */
export interface TrialResult {
  subject: string
  variant: string
  /** `exit 0`, `signal 9`, `time limit` or the reason for which it did not start. */
  outcome: string
  durationMs: number
  trace: TraceEvent[]
}

export interface TrialReport {
  /** The skill's name. */
  skill: string
  subjects: TrialResult[]
  proofs: Proof[]
  notRun: { subject: string; reason: string }[]
}
