import { answerPath, loadAnswer, saveAnswer } from './kept-answer.ts'
import { askProgram } from './ask-program.ts'
import type { Candidate } from './language.ts'
import { readVersion } from './program-version.ts'
import { stampFile } from './stamp-interpreter.ts'
import type { FoundProgram } from './trusted-program.ts'

/** Raised when the meaning of an answer changes. */
const FORMAT = 1
const MOST_IN_MEMORY = 256
const inMemory = new Map<string, Promise<string | undefined>>()

export interface VersionRequest {
  searchPath: string
  home: string | undefined
  /** Answers are kept here for the next process; none are unless given. */
  cacheDir: string | undefined
}

/** The version of a program, asked once for each state of its file; undefined where it does not start. */
export async function askVersion(
  candidate: Candidate,
  { path, real }: FoundProgram,
  { cacheDir, ...where }: VersionRequest,
): Promise<string | undefined> {
  const { versionArgs = ['--version'] } = candidate
  const question = JSON.stringify([path, real, stampFile(real), versionArgs])
  const known = inMemory.get(question)
  if (known) return await known
  const file = cacheDir === undefined ? undefined : answerPath(cacheDir, 'versions', question)
  const kept = file === undefined ? undefined : keptVersion(file, question)
  const asking =
    kept === undefined
      ? askProgram(path, versionArgs, where).then((text) => text && readVersion(text))
      : Promise.resolve(kept)
  if (inMemory.size >= MOST_IN_MEMORY) inMemory.clear()
  inMemory.set(question, asking)
  const version = await asking
  if (version === undefined) inMemory.delete(question)
  else if (file !== undefined && kept === undefined) {
    saveAnswer(file, { format: FORMAT, question, version })
  }
  return version
}

function keptVersion(file: string, question: string): string | undefined {
  const held = loadAnswer(file) as
    | { format?: unknown; question?: unknown; version?: unknown }
    | undefined
  const isThis = held?.format === FORMAT && held.question === question
  return isThis && typeof held.version === 'string' ? held.version : undefined
}
