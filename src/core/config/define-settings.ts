/** Notation of a value in a file, an environment variable or a flag. */
export type KeyType =
  | 'text'
  | 'texts'
  | 'path'
  | 'paths'
  | 'roots'
  | 'sources'
  | 'flag'
  | 'flag or choice'
  | 'count'
  | 'bytes'
  | 'duration'
  | 'rules'
  | 'overrides'
  | 'repositories'
  | 'files'
  | 'commands'
  | 'toolchains'
  | 'caches'

/**
 * Sources of a setting besides the user's file, the environment and flags:
 *
 * - project: by the file of any project; a path has to be inside of the project
 * - project, to restrict: the same, if the value allows less than that of the user
 * - trusted project: by a project that the user trusts. Everything that starts a program, leaves
 *   the project, passes on what the user has, widens the network or weakens isolation
 * - user: by no project
 */
export type SettingSource = 'project' | 'project, to restrict' | 'trusted project' | 'user'

/**
 * One setting. Its rows are the only description: the type `Config`, the defaults, the reader, the
 * origins, the JSON Schema and the documentation follow from them.
 */
export interface SettingDefinition {
  /** Key in the file: `run.limits.memory`. */
  key: string
  /** Last part of the path in Config, if not that of the key with its unit: `memoryBytes`. */
  name?: string
  setBy: SettingSource
  type: KeyType
  description: string
  choices?: readonly string[]
  /** Pattern of the text, or of each text of a list. */
  format?: { pattern: RegExp; expected: string }
  /** Undefined if there is none, or if it depends on the machine. */
  default: unknown
}

/** Checks rows, and keeps their exact types for `Config`. */
export function defineSettings<const Rows extends readonly SettingDefinition[]>(rows: Rows): Rows {
  return rows
}
