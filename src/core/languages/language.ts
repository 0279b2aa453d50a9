/** Every language that code may be written in. */
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

/** A language: what can run it, and how that is asked to. */
export interface Language {
  name: LanguageName
  /** For people. */
  title: string
  /** The programs that a caller may ask for, in small letters. */
  aliases: readonly string[]
  /** What can run it, best first: the first one that is installed does. */
  candidates: readonly Candidate[]
  /** What to install where none of them is there, behind "Install". */
  install: string
  /** Takes inline code and nothing else. */
  codeOnly?: true
  /** Variables that its programs need; a run's own come before them. */
  environment?: Readonly<Record<string, string>>
  /** Folders of /etc that its programs read, `*` standing for any part of a name. */
  settings?: readonly string[]
  /** What a run gets where the configuration leaves a limit as it is. */
  limits?: LanguageLimits
}

/** Limits that a language needs more of than others. */
export interface LanguageLimits {
  memoryBytes?: number
  processes?: number
  openFiles?: number
  workspaceBytes?: number
}

/** A folder or file of the host that a program needs, and what it is called inside. */
export interface ToolMount {
  source: string
  target: string
}

/** One way to run a language. */
export interface Candidate {
  /** The program that is looked up, and asked for its version. */
  program: string
  /** Programs that have to be there as well. */
  needs?: readonly string[]
  /** The first version that can. */
  minVersion?: string
  /** What makes the program print its version; `--version` unless given. */
  versionArgs?: readonly string[]
  /** Found as the interpreter of Python skills is: behind shims, with its packages. */
  isPython?: true
  /** Asks a program outside of /usr where it really lies; a shim may stand in its place. */
  pathQuery?: { args: readonly string[]; program: (answer: string) => string }
  /** No test of ours runs it: nothing but its table says how that is done. */
  isUntested?: true
  /** It cannot be moved: inside it lies where it lies outside. */
  isFixed?: true
  /** Folders of this package that it needs. */
  tools?: () => readonly ToolMount[]
  /** How inline code is run. */
  inline(code: InlineCode): InlinePlan
  /** What it is told without code; the arguments as they are unless given. */
  buildDirectArgs?: (args: readonly string[]) => readonly string[]
}

/** Code that came with a request. */
export interface InlineCode {
  text: string
  /** Of the candidate's program; empty unless it has a first version that can. */
  version: string
}

/** What becomes of inline code. */
export interface InlinePlan {
  /** The name of its file. */
  file: string
  /** What the file has behind the code. */
  footer?: string
  /** Makes the file `product` in the folder `build`, which is then run. */
  compile?: { product: string; command: (at: SandboxPaths) => readonly string[] }
  /** A file that makes a folder a project: where there is one, the compiler looks at the repository. */
  project?: string
  /** The words in front of the caller's arguments. */
  run: (at: SandboxPaths) => readonly string[]
}

/** Paths inside of a sandbox. */
export interface SandboxPaths {
  /** The file of the code. */
  code: string
  /** The folder of what was compiled. */
  build: string
  /** The candidate's program, or one that it needs. */
  program: (name: string) => string
  /** What the whole run may use. */
  memoryBytes: number
}
