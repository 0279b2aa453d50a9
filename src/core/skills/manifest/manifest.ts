/** Plain data as JSON and TOML know it. */
export type Plain = null | boolean | number | string | Plain[] | { [key: string]: Plain }
export type PlainObject = { [key: string]: Plain }

export type SkillKind = 'action' | 'instruction'

/** One typed view of a skill, whether it has a skill.toml or only a SKILL.md. */
export interface Manifest {
  /** Dotted id, unique together with `version`. */
  name: string
  version: string
  description: string
  kind: SkillKind
  /** The first segment of the name unless the author says otherwise. */
  namespace: string
  tags: readonly string[]
  /** Present exactly for action skills. */
  runtime: SkillRuntime | undefined
  inputs: Readonly<Record<string, SkillInput>>
  permissions: SkillPermissions
  /** Lock files of the packages that its code imports; missing where it declares none. */
  dependencies?: SkillDependencies | undefined
  /** From the front matter: a name for people. */
  title: string | undefined
  /** From the front matter: one line for overviews. */
  shortDescription: string | undefined
  /** skill.toml as parsed, unknown keys included; null for a plain Agent Skill. */
  toml: PlainObject | null
  /** SKILL.md's front matter as parsed. */
  frontMatter: PlainObject
  /** Keys that no reader of ours knows, as dotted paths. */
  unknownKeys: readonly string[]
}

export interface SkillRuntime {
  language: string
  /** Path inside the skill, with forward slashes. */
  entrypoint: string
  /** Name of the function that is called. */
  export: string
}

export const INPUT_TYPES = [
  'string',
  'integer',
  'number',
  'boolean',
  'object',
  'array',
  'blob',
  'any',
] as const
export type InputType = (typeof INPUT_TYPES)[number]

export interface SkillInput {
  type: InputType
  description: string | undefined
  required: boolean
  default: Plain | undefined
  enum: readonly Plain[] | undefined
}

/** An extension of ours: paths inside the skill, by language. */
export interface SkillDependencies {
  python: string
}

interface SkillPermissions {
  /** Allowlist entries as written, such as `https://*.salesforce.com`. */
  network: readonly string[]
  /** Names of secrets, never values. */
  secrets: readonly string[]
}
