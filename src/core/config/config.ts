import type { KeyType } from './define-settings.ts'
import type { SettingRow } from './keys.ts'

/** Sources of values, weakest first. */
const CONFIG_LAYERS = ['default', 'user', 'project', 'environment', 'flag'] as const
export type ConfigLayer = (typeof CONFIG_LAYERS)[number]

/** Source of a value. */
export interface Origin {
  layer: ConfigLayer
  /** File and line, variable, or flag. */
  place: string
}

export const REPOSITORY_MODES = ['read-only', 'read-write', 'overlay'] as const

/** A configured folder. */
export interface RepositorySetting {
  path: string
  mode: (typeof REPOSITORY_MODES)[number]
  /** `file:line`. */
  place: string
}

/** A folder of the user that runs with a repository see read-only. */
export interface CacheSetting {
  /** Absolute, or below the user's home folder: `~/`. */
  path: string
  /** Variables of these runs. */
  environment: Readonly<Record<string, string>>
  /** `file:line`. */
  place: string
}

/** A folder with programs. */
export interface ToolchainSetting extends CacheSetting {
  /** Folders for PATH, relative to it; `bin` or the folder itself if empty. */
  bin: readonly string[]
}

/** A root whose files were fetched from elsewhere. */
export interface RemoteRoot {
  /** Folder in the cache, one of the roots. */
  path: string
  /** As in the configuration. */
  source: string
  /** The same with a commit, a digest or an exact version. */
  resolved: string
}

/** Values of each type, without choices. */
interface SettingValues {
  text: string
  texts: readonly string[]
  path: string
  paths: readonly string[]
  roots: readonly string[]
  sources: readonly string[]
  flag: boolean
  'flag or choice': boolean
  count: number
  bytes: number
  duration: number
  rules: RuleLevels
  overrides: readonly { files: readonly string[]; rules: RuleLevels }[]
  repositories: Readonly<Record<string, RepositorySetting>>
  files: readonly WorkspaceFileSetting[]
  commands: readonly WorkspaceCommandSetting[]
  toolchains: readonly ToolchainSetting[]
  caches: readonly CacheSetting[]
}

/** Rule or area to severity or "off". */
type RuleLevels = Readonly<Record<string, 'error' | 'warning' | 'info' | 'off'>>

/** Values that loading changes, or that depend on the machine. */
interface LoadedValues {
  'directories.data': string
  'directories.cache': string
  'fleet.name': string
  /** Patterns of sources by layer; a source has to match one of each. */
  'install.sources': readonly (readonly string[])[]
}

type Camel<Text extends string> = Text extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<Camel<Rest>>}`
  : Text

type Suffix<Row extends SettingRow> = Row['type'] extends 'bytes'
  ? 'Bytes'
  : Row['type'] extends 'duration'
    ? 'Ms'
    : ''

type FieldName<Last extends string, Row extends SettingRow> = Row extends {
  name: infer Name extends string
}
  ? Name
  : `${Camel<Last>}${Suffix<Row>}`

type ChosenValue<Type extends KeyType, Choice> = Type extends 'texts'
  ? readonly Choice[]
  : Type extends 'flag or choice'
    ? boolean | Exclude<Choice, 'true' | 'false'>
    : Choice

type RowValue<Row extends SettingRow> = Row['key'] extends keyof LoadedValues
  ? LoadedValues[Row['key']]
  :
      | (Row extends { choices: readonly (infer Choice)[] }
          ? ChosenValue<Row['type'], Choice>
          : SettingValues[Row['type']])
      | (Row['default'] extends undefined ? undefined : never)

/** The value of a row at its path: { run: { limits: { memoryBytes: number } } }. */
type Branch<
  Path extends string,
  Row extends SettingRow,
> = Path extends `${infer Head}.${infer Rest}`
  ? { [Name in Head]: Branch<Rest, Row> }
  : { [Name in FieldName<Path, Row>]: RowValue<Row> }

type Branches<Row extends SettingRow> = Row extends SettingRow ? Branch<Row['key'], Row> : never

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never

type Settings = Intersection<Branches<SettingRow>>

/** Effective configuration: plain data with every value of the table of settings present. */
export type Config = { [Section in keyof Settings]: Settings[Section] } & {
  /** Roots that were fetched, in the order of the configuration. */
  remoteRoots: readonly RemoteRoot[]
  policy: {
    /** Default location of the operator's policy. */
    standardFile: string | undefined
    /** Project's policy file, which can only restrict. */
    projectFile: string | undefined
  }
}

/** A file that every workspace contains. */
export interface WorkspaceFileSetting {
  /** Its id in the workspace's state. */
  key: string
  target: string
  /** Its text, or the path of its source. */
  content: string | undefined
  from: string | undefined
  mode: number | undefined
  link: boolean
  pin: boolean
  /** A failure is only a warning. */
  optional: boolean
}

/** A command that runs in every workspace before any other. */
export interface WorkspaceCommandSetting {
  key: string
  cmd: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  cwd: string | undefined
  timeoutMs: number | undefined
  /** File created on success; the command runs again if it is missing. */
  marker: string | undefined
  /** Files that it creates; the command runs again if one is missing. */
  observed: readonly string[]
  /** Files that it reads; the command runs again if one changed. */
  inputs: readonly string[]
  salt: string | undefined
  optional: boolean
}
