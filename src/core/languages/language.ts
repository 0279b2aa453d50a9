/** All language names of inline code. */
export const LANGUAGE_NAMES = [
  'node',
  'typescript',
  'python',
  'shell',
  'powershell',
  'go',
  'java',
  'kotlin',
  'rust',
  'c',
  'cpp',
  'csharp',
  'ruby',
  'php',
  'perl',
  'r',
  'elixir',
] as const
export type LanguageName = (typeof LANGUAGE_NAMES)[number]

/** A language, the programs that can run it, and how each is invoked. */
export interface Language {
  name: LanguageName
  /** Display name. */
  title: string
  /** File extensions of code that it runs, in lower case, the usual one first. */
  extensions: readonly string[]
  /** Executable names that a caller may request, in lower case. */
  aliases: readonly string[]
  /** Programs that can run it, best first. The first installed one is used. */
  candidates: readonly Candidate[]
  /** Installation instructions if no candidate is found; follows "Install" in messages. */
  install: string
  /** True if the language accepts inline code only. */
  codeOnly?: true
  /** Variables that its programs need. Variables of the run override them. */
  environment?: Readonly<Record<string, string>>
  /** Folders of /etc that its programs read; `*` matches any part of a name. */
  settings?: readonly string[]
  /** Minimum limits of a run, used where the configuration keeps its default. */
  limits?: LanguageLimits
}

/** Limits that a language raises. */
export interface LanguageLimits {
  memoryBytes?: number
  processes?: number
  workspaceBytes?: number
}

/** A folder or file of the host that a program needs, and its path inside the sandbox. */
export interface ToolMount {
  source: string
  target: string
  /** True for a folder of the runtime that is mounted itself, so that its sockets are reached. */
  isLive?: boolean
}

/** One way to run a language. */
export interface Candidate {
  /** The program that is searched and queried for its version. */
  program: string
  /** Other programs that must be installed too. */
  needs?: readonly string[]
  /** The first supported version. */
  minVersion?: string
  /** Arguments that make the program print its version; `--version` by default. */
  versionArgs?: readonly string[]
  /**
   * Resolved like the interpreter of Python skills: shims are followed and packages are mounted.
   */
  isPython?: true
  /** True if no test runs this candidate. */
  isUntested?: true
  /**
   * True if the program cannot be relocated: its path inside the sandbox equals its path on the
   * host.
   */
  isFixed?: true
  /** Folders of this package that it needs. */
  tools?: () => readonly ToolMount[]
  /** Plans the run of inline code. */
  inline(code: InlineCode): InlinePlan
  /** Builds the argv of a run without code; by default the arguments are unchanged. */
  buildDirectArgs?: (args: readonly string[]) => readonly string[]
}

/** Code of a request. */
export interface InlineCode {
  text: string
  /** Version of the candidate's program; empty if the candidate has no minimum version. */
  version: string
}

/** Plan to store, compile and run inline code. */
export interface InlinePlan {
  /** The name of its file. */
  file: string
  /** Text that is appended to the code in its file. */
  footer?: string
  /** Compiles to the file `product` in the folder `build`, which is then run. */
  compile?: { product: string; command: (paths: SandboxPaths) => readonly string[] }
  /** The file that marks a project. If it exists, the compiler sees the repository. */
  project?: string
  /** The argv in front of the caller's arguments. */
  run: (paths: SandboxPaths) => readonly string[]
}

/** Paths inside the sandbox. */
export interface SandboxPaths {
  /** The file of the code. */
  code: string
  /** The folder of the compiled files. */
  build: string
  /** Returns the path of the candidate's program, or of one that it needs. */
  program: (name: string) => string
  /** Memory limit of the whole run. */
  memoryBytes: number
}
