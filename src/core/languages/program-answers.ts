import { ProgramAliases } from '../host-programs/program-links.ts'
import type { PythonAnswer } from './query-python.ts'

/** A cached answer of an interpreter. */
export interface CachedPython {
  /** Cache key: the program and the state of the files that affect its answer. */
  question: string
  /** Stamp of the interpreter's file; null if it does not exist. */
  executable: string | null
  answer: PythonAnswer
}

/** The version of a program, or the explanation of one that does not start. */
export type VersionAnswer = { version: string } | { words: string }

/** Cache of what programs report about themselves; a changed file has another key. */
export class ProgramAnswers {
  /** Folder in which answers are cached across processes; undefined disables the cache. */
  readonly cacheDir: string | undefined
  readonly pythons: Map<string, Promise<CachedPython | { words: string }>> = new Map()
  /** Answers to the questions for the path of a program behind a shim. */
  readonly paths: Map<string, string> = new Map()
  readonly versions: Map<string, Promise<VersionAnswer>> = new Map()
  readonly aliases: ProgramAliases = new ProgramAliases()

  constructor(cacheDir?: string) {
    this.cacheDir = cacheDir
  }
}
