import { LANGUAGE_NAMES } from '../languages/language.ts'
import { POLICY_RUN_KINDS } from './policy-request.ts'

/** Type of a policy value, as written in TOML. */
export type PolicyType =
  | 'patterns'
  | 'networks'
  | 'words'
  | 'text'
  | 'flag'
  | 'path'
  | 'duration'
  | 'bytes'

/**
 * One setting of a policy. The parser, the JSON Schema and the documentation are derived from these
 * tables.
 */
export interface PolicyField {
  type: PolicyType
  description: string
  /** Values that are not patterns must be one of these. */
  choices?: readonly string[]
  /** Patterns are paths relative to a folder. */
  isRelative?: true
}

export type PolicyFields = Readonly<Record<string, PolicyField>>

const ENTRY_POINTS = ['cli', 'http', 'mcp', 'library'] as const

/** Values that can be allowed and denied. */
export const LIST_FIELDS = {
  kinds: {
    type: 'patterns',
    description: 'Kinds of runs',
    choices: POLICY_RUN_KINDS,
  },
  tokens: { type: 'patterns', description: 'Names of tokens, or of users on this machine' },
  languages: {
    type: 'patterns',
    description: 'Languages of code and programs',
    choices: LANGUAGE_NAMES,
  },
  executables: { type: 'patterns', description: 'Programs: names, or absolute paths' },
  repositories: { type: 'patterns', description: 'Names of [repositories]' },
  cwd: {
    type: 'patterns',
    description: 'Globs of folders, relative to the repository',
    isRelative: true,
  },
  skills: { type: 'patterns', description: 'Skills: names, or name@version' },
  network: {
    type: 'networks',
    description: 'Destinations as in permissions.network; "*" matches all',
  },
  environment: { type: 'patterns', description: 'Environment variables that callers may request' },
} as const satisfies PolicyFields

/** Conditions of a rule. */
export const WHEN_FIELDS = {
  ...LIST_FIELDS,
  doors: { type: 'patterns', description: 'Entry points of a request', choices: ENTRY_POINTS },
  longer_than: { type: 'duration', description: 'Requests with a longer timeout' },
} as const satisfies PolicyFields

const LIMIT_FIELDS = {
  timeout: { type: 'duration', description: 'Maximum timeout that a caller may request' },
  output: { type: 'bytes', description: 'Maximum output of a run' },
} as const satisfies PolicyFields

const REQUIRE_FIELDS = {
  aslr: {
    type: 'flag',
    description: 'Each run has an address-space layout of its own, as with run.warm = "aslr"',
  },
} as const satisfies PolicyFields

export const RULE_FIELDS = {
  name: { type: 'text', description: 'Name of the rule in denials and records' },
  refuse: { type: 'text', description: 'Refuses all matching requests with this message' },
  approve: { type: 'flag', description: 'Requires approval of all matching requests' },
} as const satisfies PolicyFields

const { tokens, languages, executables, repositories, cwd } = LIST_FIELDS

/** Conditions for opening destinations to programs. */
export const PROGRAMS_WHEN_FIELDS = {
  tokens,
  languages,
  executables,
  repositories,
  cwd,
  doors: WHEN_FIELDS.doors,
} as const satisfies PolicyFields

export const PROGRAMS_FIELDS = {
  name: { type: 'text', description: 'Name of the table in records' },
  network: {
    type: 'networks',
    description: 'Destinations that programs of runtime.execute may reach',
  },
} as const satisfies PolicyFields

export const APPROVAL_FIELDS = {
  command: { type: 'words', description: 'A program and its arguments, run on this machine' },
  url: { type: 'text', description: 'A webhook: https, or http on this machine' },
  secret_file: { type: 'path', description: 'A file with the secret that signs requests' },
  timeout: { type: 'duration', description: 'Timeout of an answer (default 5m)' },
} as const satisfies PolicyFields

/** Tables of a scope: of the file itself, and of each rule. */
export const SCOPE_TABLES = {
  allow: LIST_FIELDS,
  deny: LIST_FIELDS,
  limits: LIMIT_FIELDS,
  require: REQUIRE_FIELDS,
} as const
