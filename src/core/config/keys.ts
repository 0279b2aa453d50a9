import { EVAL_KEYS } from './eval-keys.ts'
import { FLEET_KEYS } from './fleet-keys.ts'
import { INSTALL_KEYS } from './install-keys.ts'
import { LIMIT_KEYS } from './limit-keys.ts'
import { LINT_KEYS } from './lint-keys.ts'
import { POLICY_KEYS } from './policy-keys.ts'
import { RUN_KEYS } from './run-keys.ts'
import { SERVE_KEYS } from './serve-keys.ts'
import { STORE_KEYS } from './store-keys.ts'
import { WORKSPACE_KEYS } from './workspace-keys.ts'

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
  | 'count or 0'
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
 * One setting. This table defines the parser, the origins, the JSON Schema and the documentation.
 */
export interface ConfigKey {
  /** Key in the file: `run.limits.memory`. */
  key: string
  setBy: SettingSource
  /** Path in Config. */
  field: readonly string[]
  type: KeyType
  description: string
  choices?: readonly string[]
  /** Pattern of the text, or of each text of a list. */
  format?: { pattern: RegExp; expected: string }
  default: unknown
}

export const CONFIG_KEYS: readonly ConfigKey[] = [
  createSetting(
    'roots',
    'project',
    ['roots'],
    'roots',
    'Folders, and sources of skills such as github:owner/repo, that are searched for skills, highest precedence first',
    [],
  ),
  createSetting(
    'indexes',
    'trusted project',
    ['indexes'],
    'sources',
    'Sites, and folders or files of sites, that "skills search" asks',
    [],
  ),
  createSetting(
    'directories.data',
    'trusted project',
    ['directories', 'data'],
    'path',
    "Folder for blobs, run records and the user's skills",
    undefined,
  ),
  createSetting(
    'directories.cache',
    'trusted project',
    ['directories', 'cache'],
    'path',
    'Folder for content that may be deleted at any time',
    undefined,
  ),
  ...LINT_KEYS,
  ...INSTALL_KEYS,
  ...RUN_KEYS,
  ...LIMIT_KEYS,
  createSetting(
    'toolchains',
    'user',
    ['toolchains'],
    'toolchains',
    "Folders with programs that runs with a repository see read-only, only in the user's configuration",
    [],
  ),
  createSetting(
    'caches',
    'user',
    ['caches'],
    'caches',
    "Folders that runs with a repository see read-only, only in the user's configuration",
    [],
  ),
  createSetting(
    'redaction.patterns',
    'trusted project',
    ['redaction', 'patterns'],
    'texts',
    'Regular expressions of text to mask in all output of runs, besides well-known shapes of tokens, keys and passwords, without back-references and lookaround',
    [],
  ),
  createSetting(
    'secrets.file',
    'trusted project',
    ['secrets', 'file'],
    'path',
    'File of NAME=value lines with secrets',
    undefined,
  ),
  ...STORE_KEYS,
  ...EVAL_KEYS,
  ...POLICY_KEYS,
  ...WORKSPACE_KEYS,
  ...SERVE_KEYS,
  ...FLEET_KEYS,
]

/** Types that a variable cannot hold. */
const STRUCTURED_TYPES: ReadonlySet<KeyType> = new Set([
  'rules',
  'overrides',
  'repositories',
  'files',
  'commands',
  'toolchains',
  'caches',
])

/**
 * Variable that sets a key: `run.timeout` is SKILLS_RUN_TIMEOUT; roots are a path list in
 * SKILLS_PATH.
 */
export function getVariableName({ key, type }: ConfigKey): string | undefined {
  if (key === 'roots') return 'SKILLS_PATH'
  if (STRUCTURED_TYPES.has(type)) return undefined
  return `SKILLS_${key.toUpperCase().replaceAll('.', '_')}`
}

// eslint-disable-next-line max-params -- a row of the table above reads best on one line
function createSetting(
  key: string,
  setBy: SettingSource,
  field: readonly string[],
  type: KeyType,
  description: string,
  value: unknown,
): ConfigKey {
  return { key, setBy, field, type, description, default: value }
}
