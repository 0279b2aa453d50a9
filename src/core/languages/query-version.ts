import { getAnswerPath, loadAnswer, saveAnswer } from './cached-answer.ts'
import { queryProgram } from './query-program.ts'
import type { Candidate } from './language.ts'
import type { ProgramAnswers } from './program-answers.ts'
import { readVersion } from './program-version.ts'
import { stampFile } from './stamp-interpreter.ts'
import type { FoundProgram } from './trusted-program.ts'

/** Increase when the meaning of a cached answer changes. */
const FORMAT = 1
const MAX_IN_MEMORY = 256

interface VersionRequest {
  searchPath: string
  home: string | undefined
  answers: ProgramAnswers
}

/**
 * Returns the version of a program, cached until its file changes. Undefined if the program does
 * not start.
 */
export async function queryVersion(
  candidate: Candidate,
  { path, real }: FoundProgram,
  { answers, ...context }: VersionRequest,
): Promise<string | undefined> {
  const { cacheDir, versions } = answers
  const { versionArgs = ['--version'] } = candidate
  const cacheKey = JSON.stringify([path, real, stampFile(real), versionArgs])
  const pending = versions.get(cacheKey)
  if (pending) return await pending
  const file = cacheDir === undefined ? undefined : getAnswerPath(cacheDir, 'versions', cacheKey)
  const cached = file === undefined ? undefined : loadCachedVersion(file, cacheKey)
  const pendingVersion =
    cached === undefined
      ? queryProgram(path, versionArgs, context).then((text) => text && readVersion(text))
      : Promise.resolve(cached)
  if (versions.size >= MAX_IN_MEMORY) versions.clear()
  versions.set(cacheKey, pendingVersion)
  const version = await pendingVersion
  if (version === undefined) versions.delete(cacheKey)
  else if (file !== undefined && cached === undefined) {
    saveAnswer(file, { format: FORMAT, question: cacheKey, version })
  }
  return version
}

function loadCachedVersion(file: string, cacheKey: string): string | undefined {
  const stored = loadAnswer(file) as
    | { format?: unknown; question?: unknown; version?: unknown }
    | undefined
  const isValid = stored?.format === FORMAT && stored.question === cacheKey
  return isValid && typeof stored.version === 'string' ? stored.version : undefined
}
