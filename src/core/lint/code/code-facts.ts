import type { Span } from '../../skills/manifest/source.ts'

/** Languages other than Python whose files are parsed in this process. */
export type ParsedLanguage = 'javascript' | 'typescript' | 'shell'

/** Facts about one file of JavaScript, TypeScript or shell; spans are UTF-16 offsets in its text. */
export interface CodeFacts {
  language: ParsedLanguage
  /** The syntax error, if any. The other lists are then empty. */
  problem: CodeProblem | undefined
  imports: readonly CodeImport[]
  /** Environment variables that are read by a literal name. */
  environment: readonly EnvironmentRead[]
  /** True if the environment is read as a whole. */
  readsWholeEnvironment: boolean
  /** String literals that are assigned to a name or passed as one. */
  strings: readonly { value: string; target: string; span: Span }[]
  requests: readonly NetworkRequest[]
  /** Names that are read from the runtime's module, or functions of its shell library. */
  runtimeNames: readonly RuntimeName[]
  /** Names that the file defines: shell functions. */
  definitions: readonly string[]
  /** Commands of a script by their names. */
  commands: readonly NamedSpan[]
  /** Names that are read, and that neither the file nor its language defines. */
  undefinedNames: readonly NamedSpan[]
  /** Exported names; undefined if the text does not show them. */
  exports: readonly string[] | undefined
  /** Functions of the file by name; of a script, `main` has what the whole file reads. */
  functions: ReadonlyMap<string, FunctionFacts>
  /** Relative paths of files that the code opens. */
  paths: readonly NamedSpan[]
}

export interface FunctionFacts {
  /** Keys of the first argument that are read; `*` if it is passed on as a whole. */
  keys: readonly NamedSpan[]
  /** Calls that end the process. */
  exits: readonly NamedSpan[]
  /** Parts of returned values that are not JSON, such as `a Set`. */
  results: readonly NamedSpan[]
}

export interface CodeProblem {
  message: string
  span: Span
  /** The bracket or keyword that is never closed. */
  opener?: { text: string; span: Span } | undefined
}

export interface CodeImport {
  specifier: string
  /** The statement or function, which decides how a file is found. */
  by: 'import' | 'require' | 'source'
  /** True inside `try` or before `.catch`: the code expects that the import may fail. */
  isOptional: boolean
  span: Span
  /** Names that are taken from the file. */
  names?: readonly NamedSpan[]
}

export interface NamedSpan {
  name: string
  span: Span
}

export interface EnvironmentRead extends NamedSpan {
  /** True if the code has another value for a variable that is not set. */
  hasDefault: boolean
}

/** A call that opens a connection. */
export interface NetworkRequest {
  /** The function or program, such as `fetch`. */
  call: string
  /** Scheme and authority of the address, such as `https://api.example.com`, if it is a literal. */
  origin: string | undefined
  /** Span of the origin, otherwise of the function. */
  span: Span
}

export interface RuntimeName extends NamedSpan {
  /** `runtime` itself, or one of its modules. */
  module: string
}

export const NO_FACTS = {
  problem: undefined,
  imports: [],
  environment: [],
  readsWholeEnvironment: false,
  strings: [],
  requests: [],
  runtimeNames: [],
  definitions: [],
  commands: [],
  undefinedNames: [],
  exports: undefined,
  functions: new Map(),
  paths: [],
} as const satisfies Omit<CodeFacts, 'language'>

/** Limit on items of each list; a hostile file can have millions. */
export const MAX_FACTS = 2000
