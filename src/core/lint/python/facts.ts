import type { Span } from '../../skills/manifest/source.ts'

/** Facts about one Python file from Python's own parser; spans are UTF-16 offsets in its text. */
export interface PythonFacts {
  /** The compile error, if any. */
  problem: { message: string; span: Span } | undefined
  /** Functions and classes at module level, in file order. */
  functions: readonly PythonFunction[]
  /** Names bound at module level by assignment or import, with their spans. */
  names: Readonly<Record<string, Span>>
  imports: readonly {
    module: string
    name: string | null
    /** Name after `as`. */
    alias: string | null
    level: number
    span: Span
  }[]
  /** Environment variables that are read by a literal name. */
  environment: readonly { name: string; hasDefault: boolean; span: Span }[]
  /** String literals of at least eight characters, with the name they are assigned to or passed as. */
  strings: readonly { value: string; target: string | null; span: Span }[]
  /**
   * Calls by dotted name, such as `os.system`, with the first argument and the mode if they are
   * literals.
   */
  calls: readonly {
    name: string
    firstArgument: string | null
    mode: string | null
    span: Span
  }[]
  /** Calls that send a request, with the literal at the beginning of the address. */
  requests: readonly { name: string; text: string; isComplete: boolean; span: Span }[]
  /** Calls that run when the file is imported. */
  topLevelCalls: readonly { name: string; span: Span }[]
  /** Names that neither the file nor Python defines. */
  undefinedNames: readonly { name: string; span: Span }[]
}

export interface PythonFunction {
  name: string
  kind: 'function' | 'async' | 'generator' | 'class'
  /** Minimum and maximum number of positional arguments (Infinity for *args). */
  required: number
  maximum: number
  /** Keyword-only arguments without a default. */
  requiredKeywords: readonly string[]
  /** True for definitions inside `if __name__ == "__main__"`. */
  guarded: boolean
  /**
   * Keys read from the first argument: `args["x"]` (required), `args.get("x")`; the key `*` if the
   * argument is passed on as a whole.
   */
  argumentKeys: readonly { name: string; required: boolean; span: Span }[]
  /** Attributes of the first argument that a dict does not have. */
  argumentAttributes: readonly { name: string; span: Span }[]
  /** Calls that end the process, also in functions of the file that it calls. */
  exits: readonly { name: string; span: Span }[]
  /** Parts of returned values that are not JSON, such as `a set`. */
  results: readonly { name: string; span: Span }[]
  span: Span
}
