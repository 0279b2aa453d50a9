import type { PythonAnswer } from './query-python.ts'

/** A cached answer, and the state of the interpreter that gave it. */
export interface CachedPython {
  question: string
  executable: string | null
  answer: PythonAnswer
}

/** Answers of programs by question. Each program is queried once for each state of its file. */
export class ProgramAnswers {
  /** Folder in which answers are cached across processes; undefined disables the cache. */
  readonly cacheDir: string | undefined
  readonly pythons: Map<string, Promise<CachedPython | undefined>> = new Map()
  readonly versions: Map<string, Promise<string | undefined>> = new Map()

  constructor(cacheDir?: string) {
    this.cacheDir = cacheDir
  }
}
