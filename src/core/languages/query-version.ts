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
  const question = JSON.stringify([path, real, stampFile(real), versionArgs])
  const pending = versions.get(question)
  if (pending) return await pending
  const file = cacheDir === undefined ? undefined : getAnswerPath(cacheDir, 'versions', question)
  const cached = file === undefined ? undefined : loadCachedVersion(file, question)
  const answering =
    cached === undefined
      ? queryProgram(path, versionArgs, context).then((text) => text && readVersion(text))
      : Promise.resolve(cached)
  if (versions.size >= MAX_IN_MEMORY) versions.clear()
  versions.set(question, answering)
  const version = await answering
  if (version === undefined) versions.delete(question)
  else if (file !== undefined && cached === undefined) {
    saveAnswer(file, { format: FORMAT, question, version })
  }
  return version
}

function loadCachedVersion(file: string, question: string): string | undefined {
  const stored = loadAnswer(file) as
    | { format?: unknown; question?: unknown; version?: unknown }
    | undefined
  const isThis = stored?.format === FORMAT && stored.question === question
  return isThis && typeof stored.version === 'string' ? stored.version : undefined
}
