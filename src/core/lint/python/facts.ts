import type { Span } from '../../skills/manifest/source.ts'

/** What Python's own parser says of one file; spans are UTF-16 offsets in its text. */
export interface PythonFacts {
  /** Why the file does not compile. */
  problem: { message: string; span: Span } | undefined
  /** Functions and classes at module level, in order. */
  functions: readonly PythonFunction[]
  /** Names bound at module level by other means (assignment, import), with their spans. */
  names: Readonly<Record<string, Span>>
  imports: readonly { module: string; name: string | null; level: number; span: Span }[]
  /** Environment variables that are read by a literal name, and where. */
  environment: readonly { name: string; span: Span }[]
  /** String literals of at least eight characters, with the name they are assigned to or passed as. */
  strings: readonly { value: string; target: string | null; span: Span }[]
  /** Calls by dotted name, such as `os.system`, with a literal first argument and mode where there are. */
  calls: readonly {
    name: string
    firstArgument: string | null
    mode: string | null
    span: Span
  }[]
  /** Calls that run when the file is imported. */
  topLevelCalls: readonly { name: string; span: Span }[]
}

export interface PythonFunction {
  name: string
  kind: 'function' | 'async' | 'generator' | 'class'
  /** How many positional arguments it needs, and how many it takes at most (Infinity for *args). */
  required: number
  maximum: number
  /** Keyword-only arguments without a default. */
  requiredKeywords: readonly string[]
  /** True for what stands under `if __name__ == "__main__"`. */
  guarded: boolean
  /**
   * Keys that it reads from its first argument: `args["x"]` (required), `args.get("x")`; a key `*`
   * where the argument is handed on as a whole.
   */
  argumentKeys: readonly { name: string; required: boolean; span: Span }[]
  span: Span
}
