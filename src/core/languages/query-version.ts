import { getAnswerPath, loadAnswer, saveAnswer } from './cached-answer.ts'
import { queryProgram, type ProgramAnswer } from './query-program.ts'
import type { Candidate } from './language.ts'
import type { ProgramAnswers, VersionAnswer } from './program-answers.ts'
import { readVersion } from './program-version.ts'
import { stampFile } from './stamp-interpreter.ts'
import type { FoundProgram } from './trusted-program.ts'

/** Increase when the meaning of a cached answer changes. */
const FORMAT = 1
const MAX_IN_MEMORY = 256

interface VersionRequest {
  searchPath: string
  env: Readonly<Record<string, string | undefined>>
  answers: ProgramAnswers
}

/**
 * Returns the version of a program, cached until its file changes, or the explanation of a program
 * that does not start.
 */
export async function queryVersion(
  candidate: Candidate,
  { path, real }: FoundProgram,
  { answers, ...context }: VersionRequest,
): Promise<VersionAnswer> {
  const { cacheDir, versions } = answers
  const { versionArgs = ['--version'] } = candidate
  const cacheKey = JSON.stringify([path, real, stampFile(real), versionArgs])
  const pending = versions.get(cacheKey)
  if (pending) return await pending
  const file = cacheDir === undefined ? undefined : getAnswerPath(cacheDir, 'versions', cacheKey)
  const cached = file === undefined ? undefined : loadCachedVersion(file, cacheKey)
  const pendingVersion =
    cached === undefined
      ? queryProgram(path, versionArgs, context).then(readVersionAnswer)
      : Promise.resolve({ version: cached })
  if (versions.size >= MAX_IN_MEMORY) versions.clear()
  versions.set(cacheKey, pendingVersion)
  const answer = await pendingVersion
  if ('words' in answer) versions.delete(cacheKey)
  else if (file !== undefined && cached === undefined) {
    saveAnswer(file, { format: FORMAT, question: cacheKey, ...answer })
  }
  return answer
}

function readVersionAnswer(answer: ProgramAnswer): VersionAnswer {
  return 'text' in answer ? { version: readVersion(answer.text) } : answer
}

function loadCachedVersion(file: string, cacheKey: string): string | undefined {
  const stored = loadAnswer(file) as
    | { format?: unknown; question?: unknown; version?: unknown }
    | undefined
  const isValid = stored?.format === FORMAT && stored.question === cacheKey
  return isValid && typeof stored.version === 'string' ? stored.version : undefined
}
