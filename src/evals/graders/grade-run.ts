import type { EvalCase, Grader } from '../cases/eval-case.ts'
import type { EvalRuntime } from '../running/eval-runtime.ts'
import type { Arm } from '../running/trajectory.ts'
import { checkRun, isFreeGrader, type GraderResult } from './check-run.ts'
import {
  getVotesKey,
  isJudgedGrader,
  judgeRun,
  toGraderResult,
  type Judge,
  type JudgeVotes,
} from './judge.ts'
import { runGraderProgram } from './run-program.ts'
import type { EvalRecord } from './run-record.ts'

/** The grades of one run. */
export interface RunGrades {
  results: readonly (GraderResult & { weight: number })[]
  judgements: readonly JudgeVotes[]
  /** Names of statements without votes, because no judge was allowed. */
  unjudged: readonly string[]
}

export interface GradeContext {
  runtime: EvalRuntime
  record: EvalRecord
  arm: Arm
  /** Session of programs. */
  session: string
  signal: AbortSignal
  /** Undefined if no model may be called. */
  judge: Judge | undefined
  /** Votes of an earlier grading. */
  judgements: readonly JudgeVotes[]
}

/** Grades one run with all graders of its arm. */
export async function gradeRun(
  { graders }: Pick<EvalCase, 'graders'>,
  context: GradeContext,
): Promise<RunGrades> {
  const results: (GraderResult & { weight: number })[] = []
  const judgements: JudgeVotes[] = []
  const unjudged: string[] = []
  const own = graders.filter(({ arm }) => arm === 'both' || isOwnArm(arm, context.arm))
  for (const [at, grader] of own.entries()) {
    const { weight } = grader
    if (!isJudgedGrader(grader)) {
      results.push({ ...(await gradeWithoutModel(grader, context, at)), weight })
      continue
    }
    const judgement = await findVotes(grader, context)
    if (!judgement) unjudged.push(grader.name)
    else {
      judgements.push(judgement)
      results.push({ ...toGraderResult(grader, judgement), weight })
    }
  }
  return { results, judgements, unjudged }
}

function isOwnArm(arm: Grader['arm'], own: Arm): boolean {
  return arm === (own === 'with_skill' ? 'with-only' : 'without-only')
}

async function gradeWithoutModel(
  grader: Grader,
  { runtime, record, session, signal }: GradeContext,
  at: number,
): Promise<GraderResult> {
  if (isFreeGrader(grader)) return checkRun(grader, record)
  const program = grader as Extract<Grader, { kind: 'program' }>
  const own = `${session}-grader-${at + 1}`
  return await runGraderProgram(runtime, program, { record, session: own, signal })
}

async function findVotes(
  grader: Extract<Grader, { kind: 'llm' | 'baseline' }>,
  { record, judge, judgements }: GradeContext,
): Promise<JudgeVotes | undefined> {
  const key = getVotesKey(grader)
  const saved = judgements.find((each) => each.key === key)
  if (saved || !judge) return saved
  return await judgeRun(grader, record, judge)
}

/** Weighted share of passed graders; 0 without any. */
export function computeScore({ results }: Pick<RunGrades, 'results'>): number {
  const total = results.reduce((sum, { weight }) => sum + weight, 0)
  const passed = results.reduce((sum, each) => sum + (each.passed ? each.weight : 0), 0)
  return total === 0 ? 0 : passed / total
}
