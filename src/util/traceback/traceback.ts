/** One call of a traceback. */
export interface TracebackFrame {
  /** Path inside the sandbox, without `file://`. */
  path: string
  line: number
  column?: number | undefined
  name?: string | undefined
  /** The line of code, and marks below it. */
  code: readonly string[]
}

/** An exception of a chain and its frames, in the order of its language. */
export interface TracebackPart {
  /** Type and message. */
  title: string
  frames: readonly TracebackFrame[]
}

/** A parsed traceback: the raised exception first, then its causes. */
export type Traceback = readonly TracebackPart[]
