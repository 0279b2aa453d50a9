import type { PythonAnswer } from './query-python.ts'

/** An answer, and the state of the interpreter that gave it. */
export interface CachedPython {
  question: string
  executable: string | null
  answer: PythonAnswer
}

/** Answers of this machine's programs by question: each is asked once for each state of its file. */
export class ProgramAnswers {
  /** Answers are kept here for the next process; none are where it is undefined. */
  readonly cacheDir: string | undefined
  readonly pythons: Map<string, Promise<CachedPython | undefined>> = new Map()
  readonly versions: Map<string, Promise<string | undefined>> = new Map()

  constructor(cacheDir?: string) {
    this.cacheDir = cacheDir
  }
}
