import type { PythonAnswer } from './query-python.ts'

/** A cached answer of an interpreter. */
export interface CachedPython {
  /** Cache key: the program and the state of the files that affect its answer. */
  question: string
  /** Stamp of the interpreter's file; null if it does not exist. */
  executable: string | null
  answer: PythonAnswer
}

/** Cache of what programs report about themselves; a changed file has another key. */
export class ProgramAnswers {
  /** Folder in which answers are cached across processes; undefined disables the cache. */
  readonly cacheDir: string | undefined
  readonly pythons: Map<string, Promise<CachedPython | undefined>> = new Map()
  readonly versions: Map<string, Promise<string | undefined>> = new Map()

  constructor(cacheDir?: string) {
    this.cacheDir = cacheDir
  }
}
