import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Grader } from '../cases/eval-case.ts'
import { runInWorkspace } from '../running/run-in-workspace.ts'
import type { EvalRuntime } from '../running/eval-runtime.ts'
import { getLastMessage, listCalls } from '../running/trajectory.ts'
import { listTreeFiles } from '../../util/list-tree.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import type { GraderResult } from './check-run.ts'
import { listOutputs, type EvalRecord } from './run-record.ts'

const PROGRAM_MS = 60_000

/**
 * Runs a grader's program in a fresh workspace of a sandbox. It finds the created files in the
 * workspace and its own files in `case`, reads the record as JSON, and answers
 * `{"passed": true, "evidence": "…"}`.
 */
export async function runGraderProgram(
  runtime: EvalRuntime,
  grader: Extract<Grader, { kind: 'program' }>,
  { record, session, signal }: { record: EvalRecord; session: string; signal: AbortSignal },
): Promise<GraderResult> {
  const [program = '', ...args] = grader.program
  const words = [`case/${program.replace(/^\.\//, '')}`, ...args]
  const { events } = record
  const { exitCode, output } = await runInWorkspace(runtime, {
    session,
    command: `exec ${words.map((word) => quoteShellWord(word)).join(' ')}`,
    stdin: JSON.stringify({
      last_message: getLastMessage(events),
      calls: listCalls(events),
      events,
      files: listOutputs(record),
    }),
    env: {},
    timeoutMs: PROGRAM_MS,
    signal,
    files: new Map([...listProgramFiles(grader.folder), ...listRecordFiles(record)]),
  })
  return { text: grader.name, ...readVerdict(exitCode, output) }
}

function listRecordFiles(record: EvalRecord): [string, { source: string; mode: number }][] {
  return listOutputs(record).map((path) => [
    path,
    { source: join(record.outputs, path), mode: 0o644 },
  ])
}

function listProgramFiles(folder: string): [string, { source: string; mode: number }][] {
  return listTreeFiles(folder).map((path) => {
    const source = join(folder, path)
    const mode = isProgram(source) ? 0o755 : 0o644
    return [`case/${path}`, { source, mode }]
  })
}

/** Archives and editors lose the mode of a script, so its first line counts. */
function isProgram(file: string): boolean {
  return readFileSync(file).subarray(0, 2).toString() === '#!'
}

function readVerdict(exitCode: number, output: string): Omit<GraderResult, 'text'> {
  let answer: { passed?: unknown; evidence?: unknown; message?: unknown } | undefined
  try {
    answer = JSON.parse(output) as typeof answer
  } catch {
    answer = undefined
  }
  if (exitCode === 0 && typeof answer?.passed === 'boolean') {
    const evidence = answer.evidence ?? answer.message
    return { passed: answer.passed, evidence: typeof evidence === 'string' ? evidence : '' }
  }
  const got = output.trim().slice(-200)
  const evidence = `The program must print {"passed": true} or {"passed": false}, got ${JSON.stringify(got)} and exit code ${exitCode}`
  return { passed: false, evidence }
}
