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
 * Returns the version of a program, queried once for each state of its file. Undefined if the
 * program does not start.
 */
export async function queryVersion(
  candidate: Candidate,
  { path, real }: FoundProgram,
  { answers, ...where }: VersionRequest,
): Promise<string | undefined> {
  const { cacheDir, versions } = answers
  const { versionArgs = ['--version'] } = candidate
  const question = JSON.stringify([path, real, stampFile(real), versionArgs])
  const known = versions.get(question)
  if (known) return await known
  const file = cacheDir === undefined ? undefined : getAnswerPath(cacheDir, 'versions', question)
  const kept = file === undefined ? undefined : loadCachedVersion(file, question)
  const asking =
    kept === undefined
      ? queryProgram(path, versionArgs, where).then((text) => text && readVersion(text))
      : Promise.resolve(kept)
  if (versions.size >= MAX_IN_MEMORY) versions.clear()
  versions.set(question, asking)
  const version = await asking
  if (version === undefined) versions.delete(question)
  else if (file !== undefined && kept === undefined) {
    saveAnswer(file, { format: FORMAT, question, version })
  }
  return version
}

function loadCachedVersion(file: string, question: string): string | undefined {
  const held = loadAnswer(file) as
    | { format?: unknown; question?: unknown; version?: unknown }
    | undefined
  const isThis = held?.format === FORMAT && held.question === question
  return isThis && typeof held.version === 'string' ? held.version : undefined
}
