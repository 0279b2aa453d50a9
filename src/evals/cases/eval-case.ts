import type { Plain } from '../../core/skills/manifest/manifest.ts'
import type { SuiteProblem } from '../../core/testing/document/problems.ts'
import type { TextPosition } from '../../util/line-index.ts'

/** A prompt for a model with a skill, and the graders of what it did. */
export interface EvalCase {
  /** Unique in its skill. */
  id: string
  /** Absolute path of the file that describes the case. */
  file: string
  position: TextPosition
  prompt: string
  /** Absolute paths of files that the conversation begins with. */
  files: readonly string[]
  graders: readonly Grader[]
  /** Requests to the model before the conversation is ended. */
  maxTurns: number
  timeoutMs: number
  /** Times that each arm runs; undefined for the number of the command line. */
  runs: number | undefined
  tags: readonly string[]
  /** Variables of programs in the sandbox; every name begins with `EVAL_`. */
  env: Readonly<Record<string, string>>
  /** Names of tools to offer; undefined for all of them. */
  tools: readonly string[] | undefined
  /** Text of a shell script that prepares the workspace, inside the sandbox. */
  scaffold: string | undefined
  /** Text after the system message. */
  systemPrompt: string | undefined
}

/** A query of a user, and whether a model should choose the skill for it. */
export interface TriggerQuery {
  query: string
  shouldTrigger: boolean
  file: string
  position: TextPosition
}

/** Part of what a run left behind, which a grader reads. */
export type GraderTarget =
  | { source: 'last_message' }
  | { source: 'trace' }
  | { source: 'files' }
  | { source: 'file'; path: string }

/** A tool call with, if set, a regular expression over its arguments as JSON. */
export interface CallPattern {
  /** Names of tools of this project. */
  tools: readonly string[]
  /** The name in the file. */
  label: string
  inputMatch: string | undefined
}

/** Common to all kinds of graders. */
interface GraderBase {
  /** Unique in its case; the text of an assertion. */
  name: string
  weight: number
  /** Arms that the grader judges. */
  arm: 'both' | 'with-only' | 'without-only'
}

export type Grader = GraderBase &
  (
    | {
        kind: 'regex'
        pattern: string
        flags: string
        match: 'contains' | 'not_contains' | { count: number }
        target: GraderTarget
      }
    | { kind: 'tool_used'; call: CallPattern; min: number; max: number | undefined }
    | { kind: 'tool_order'; before: CallPattern; after: CallPattern }
    | { kind: 'file_exists'; path: string; exists: boolean }
    | { kind: 'json_schema'; schema: Plain; target: GraderTarget }
    | { kind: 'program'; program: readonly string[]; folder: string }
    | { kind: 'llm'; criteria: string; target: GraderTarget }
    | { kind: 'baseline'; criteria: string; reference: string }
  )

export type GraderKind = Grader['kind']

/** A part of a file that has no equivalent here; it is printed, never dropped in silence. */
export interface UnmappedPart {
  file: string
  position: TextPosition
  message: string
}

/** The cases of one or several files, with their mistakes. */
export interface ReadEvals {
  cases: readonly EvalCase[]
  queries: readonly TriggerQuery[]
  problems: readonly SuiteProblem[]
  unmapped: readonly UnmappedPart[]
}

export const DEFAULT_MAX_TURNS = 10
export const DEFAULT_TIMEOUT_MS = 300_000
