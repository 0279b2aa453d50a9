import type { Plain } from '../skills/manifest/manifest.ts'

/** Certainty of a guess: read from a parser's declaration, or concluded from a name or a text. */
export type Certainty = 'certain' | 'likely' | 'possible'

/** The command line interface of one script, as its text declares it. */
export interface ScriptInterface {
  /** The library that parses the arguments; null if the script reads none. */
  parser: string | null
  /** False for a module that only other files import. */
  isProgram: boolean
  /** True if the script reads its arguments in a way that cannot be read. */
  takesRest: boolean
  summary: string | null
  commands: readonly ScriptCommand[]
  /** Places at which the interface is computed. */
  unknown: readonly { line: number; reason: string }[]
  /** Programs that the script starts; a null name is computed. */
  programs: readonly NamedLine[]
  /** Files that the script writes; a null name is computed. */
  writes: readonly NamedLine[]
}

export interface NamedLine {
  line: number
  name: string | null
}

/** A script without subcommands has one command without words. */
export interface ScriptCommand {
  /** Words of a subcommand. */
  words: readonly string[]
  help: string | null
  line: number
  arguments: readonly ScriptArgument[]
}

export interface ScriptArgument {
  /** Name in the script: of the option or of the positional argument. */
  name: string
  /** Options such as `-o` and `--output`; none for a positional argument. */
  flags: readonly string[]
  action: string
  /** Number of values, `?`, `*` or `+`; null for one. */
  count: number | string | null
  required: boolean
  type?: 'integer' | 'number' | 'boolean' | 'path' | 'file' | null
  choices?: readonly Plain[]
  default?: Plain
  hasDefault: boolean
  help: string | null
  metavar?: string | null
  line: number
}

export const EMPTY_INTERFACE: ScriptInterface = {
  parser: null,
  isProgram: true,
  takesRest: false,
  summary: null,
  commands: [{ words: [], help: null, line: 1, arguments: [] }],
  unknown: [],
  programs: [],
  writes: [],
}

/** A text of a stranger in one line, without characters that control or hide; at most `limit` long. */
export function cleanText(text: string, limit = 500): string {
  const plain = text
    .slice(0, limit * 4)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return plain.length <= limit
    ? plain
    : `${[...plain]
        .slice(0, limit - 1)
        .join('')
        .trimEnd()}…`
}
