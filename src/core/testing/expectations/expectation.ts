import type { Plain } from '../../skills/manifest/manifest.ts'
import type { Field } from '../document/field.ts'
import type { TextPosition } from '../../../util/line-index.ts'
import type { CaseRecord } from './case-record.ts'
import type { SnapshotRequest } from '../snapshots/snapshot-request.ts'
import type { TextNormalizer } from '../snapshots/snapshot-text.ts'

/**
 * A kind of expectation: the value that a suite writes, and the judge of a run's record. To add one,
 * write a file with it and name it in `index.ts`.
 */
export interface ExpectationKind<Value = unknown> {
  /** The key in a suite. */
  name: string
  summary: string
  /** An example for the documentation, in TOML. */
  example: string
  field: Field<Value>
  /** True if `not` has no meaning for it. */
  cannotNegate?: true
  /** Kinds of actions that have this part of the record; by default all. */
  appliesTo?: readonly JudgedAction['kind'][]
  /** Returns the reason why no record of an action can have what the value names. */
  findMismatch?(value: Value, action: JudgedAction): string | undefined
  /** Parts of the record that take time to collect, which this expectation reads. */
  needs?(value: Value): readonly RecordNeed[]
  /** Decides whether the record fits. */
  judge(value: Value, record: CaseRecord, context: JudgeContext): Judgement | Promise<Judgement>
}

/** Facts about an action that are known before it runs. */
export interface JudgedAction {
  kind: 'skill' | 'code' | 'command' | 'conversation'
  /** Requests and tool calls of a conversation; 0 for the other kinds. */
  requestCount: number
  callCount: number
}

export type RecordNeed = 'workspace' | 'blobs' | 'network'

/** Services of a judge. */
export interface JudgeContext {
  /** True if a text has one of the values, in any usual encoding, or the mask of a value. */
  revealsSecret(text: string, values: readonly string[]): boolean
  /** Runs a program of the skill as a case of its own, with this input. */
  runProgram(program: readonly string[], stdin: string): Promise<CaseRecord>
  snapshots: SnapshotJudge
}

/** Compares texts with the snapshots of one case. */
export interface SnapshotJudge {
  selectNormalizer(request: SnapshotRequest): TextNormalizer
  judge(request: SnapshotRequest, text: string): Promise<Judgement>
}

export interface Judgement {
  isMet: boolean
  /** Completes the sentence "Expected …". */
  expected: string
  /** Completes the sentence "…, got …"; undefined if the difference shows it. */
  got?: string | undefined
  difference?: Difference | undefined
}

/** Two values that a reporter shows side by side. */
export type Difference =
  | { kind: 'text'; expected: string; actual: string }
  | { kind: 'json'; expected: Plain; actual: Plain | undefined }

/** One expectation of a case. */
export interface Expectation {
  kind: ExpectationKind
  value: unknown
  /** True if the record must not fit. */
  isNegated: boolean
  /** Computed when it is read: finding it needs a slower parser. */
  readonly position: TextPosition
}

/** An expectation that the record does not meet. */
export interface ExpectationFailure {
  expectation: string
  position: TextPosition
  message: string
  difference: Difference | undefined
}

/** A judge that gives no verdict: the expectation fails, negated or not. */
export class JudgeError extends Error {}

/** Judges one expectation; returns undefined if it is met. */
export async function judgeExpectation(
  expectation: Expectation,
  record: CaseRecord,
  context: JudgeContext,
): Promise<ExpectationFailure | undefined> {
  const { kind, value, isNegated } = expectation
  let judgement: Judgement
  try {
    judgement = await kind.judge(value, record, context)
  } catch (thrown) {
    if (!(thrown instanceof JudgeError)) throw thrown
    const { position } = expectation
    return { expectation: kind.name, position, message: thrown.message, difference: undefined }
  }
  const { isMet, expected, got, difference } = judgement
  if (isMet !== isNegated) return undefined
  const gotPart = got === undefined ? '' : `, got ${got}`
  return {
    expectation: kind.name,
    position: expectation.position,
    message: `Expected ${isNegated ? 'not: ' : ''}${expected}${isNegated ? '' : gotPart}`,
    difference: isNegated ? undefined : difference,
  }
}

/** Keeps the type of the value between the field and the judge. */
export function defineExpectation<Value>(kind: ExpectationKind<Value>): ExpectationKind {
  return kind
}
