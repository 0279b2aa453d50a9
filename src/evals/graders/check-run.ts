import { z } from 'zod'
import type { CallPattern, Grader, GraderKind } from '../cases/eval-case.ts'
import { listCalls, type TrajectoryCall } from '../running/trajectory.ts'
import { findOutputs, readTarget, type EvalRecord } from './run-record.ts'
import { runInNewContext } from 'node:vm'

/** The outcome of a grader for one run. */
export interface GraderResult {
  text: string
  passed: boolean
  /** A sentence that shows why. */
  evidence: string
}

type GraderVerdict = Omit<GraderResult, 'text'>
type FreeKind = Exclude<GraderKind, 'llm' | 'baseline' | 'program'>

/** True for graders that neither call a model nor start a program. */
export function isFreeGrader(grader: Grader): grader is Extract<Grader, { kind: FreeKind }> {
  return Object.hasOwn(CHECKS, grader.kind)
}

/** Grades a saved run without a model. */
export function checkRun(
  grader: Extract<Grader, { kind: FreeKind }>,
  record: EvalRecord,
): GraderResult {
  const check = CHECKS[grader.kind] as (grader: Grader, record: EvalRecord) => GraderVerdict
  return { text: grader.name, ...check(grader, record) }
}

const CHECKS: {
  [Kind in FreeKind]: (grader: Extract<Grader, { kind: Kind }>, record: EvalRecord) => GraderVerdict
} = {
  regex({ pattern, flags, match, target }, record) {
    const text = readTarget(record, target)
    if (text === undefined) return { passed: false, evidence: 'The file does not exist' }
    const count = countMatches(text, { pattern, flags })
    if (count === undefined) return { passed: false, evidence: 'The expression takes too long' }
    const evidence = `/${pattern}/${flags} matches ${count} times`
    if (match === 'contains') return { passed: count > 0, evidence }
    return { passed: match === 'not_contains' ? count === 0 : count === match.count, evidence }
  },
  tool_used({ call, min, max }, { events }) {
    const count = listCalls(events).filter((each) => fitsCall(each, call)).length
    const passed = count >= min && (max === undefined || count <= max)
    return { passed, evidence: `${call.label} is called ${count} times` }
  },
  tool_order({ before, after }, { events }) {
    const calls = listCalls(events)
    const first = calls.findIndex((each) => fitsCall(each, before))
    const second = calls.findIndex((each) => fitsCall(each, after))
    if (first === -1) return { passed: false, evidence: `${before.label} is never called` }
    if (second === -1) return { passed: false, evidence: `${after.label} is never called` }
    const evidence = `${before.label} is call ${first + 1}, ${after.label} is call ${second + 1}`
    return { passed: first < second, evidence }
  },
  file_exists({ path, exists }, record) {
    const [found] = findOutputs(record, path)
    const evidence = found === undefined ? `No file matches ${path}` : `${found} exists`
    return { passed: (found !== undefined) === exists, evidence }
  },
  json_schema({ schema, target }, record) {
    const text = readTarget(record, target)
    if (text === undefined) return { passed: false, evidence: 'The file does not exist' }
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return { passed: false, evidence: 'The text is not valid JSON' }
    }
    const result = z.fromJSONSchema(schema as never).safeParse(value)
    if (result.success) return { passed: true, evidence: 'The value fits the schema' }
    const [issue] = result.error.issues
    const at = issue && issue.path.length > 0 ? ` at ${issue.path.join('.')}` : ''
    return { passed: false, evidence: `${issue?.message ?? 'It does not fit'}${at}` }
  },
}

function fitsCall(call: TrajectoryCall, { tools, inputMatch }: CallPattern): boolean {
  if (!tools.includes(call.name)) return false
  if (inputMatch === undefined) return true
  const count = countMatches(JSON.stringify(call.arguments ?? {}), { pattern: inputMatch })
  return count !== undefined && count > 0
}

/** Time of one match: a stranger's expression may need exponential time. */
const MATCH_MS = 1000

/** Texts are passed as values, never as code. */
const COUNT_MATCHES = `
  let count = 0
  for (const _ of text.matchAll(new RegExp(pattern, flags + 'g'))) {
    count += 1
    if (count > 100000) break
  }
  count`

/** Counts the matches of a regular expression; undefined if it takes too long. */
function countMatches(
  text: string,
  { pattern, flags = '' }: { pattern: string; flags?: string },
): number | undefined {
  try {
    const values = { text, pattern, flags }
    return runInNewContext(COUNT_MATCHES, values, { timeout: MATCH_MS }) as number
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw thrown
  }
}
