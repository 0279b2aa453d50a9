/** Data that JSON and TOML can represent. */
export type Plain = null | boolean | number | string | Plain[] | { [key: string]: Plain }
export type PlainObject = { [key: string]: Plain }

export type SkillKind = 'action' | 'instruction'

/** Typed view of a skill, whether it has a skill.toml or only a SKILL.md. */
export interface Manifest {
  /** Dotted id, unique together with `version`. */
  name: string
  version: string
  description: string
  kind: SkillKind
  /** The first segment of the name unless the author sets it. */
  namespace: string
  tags: readonly string[]
  /** Present exactly for action skills. */
  runtime: SkillRuntime | undefined
  inputs: Readonly<Record<string, SkillInput>>
  permissions: SkillPermissions
  /** Lock files of the packages that the code imports; absent if none is declared. */
  dependencies?: SkillDependencies | undefined
  /** Parts of the machine that the skill needs; absent if it declares none. */
  requires?: SkillRequirements | undefined
  /** Calls that show how the skill is used; absent if none is valid. */
  examples?: readonly SkillExample[] | undefined
  /** From the front matter: a name for people. */
  title: string | undefined
  /** From the front matter: one line for overviews. */
  shortDescription: string | undefined
  /** skill.toml as parsed, including unknown keys; null for a plain Agent Skill. */
  toml: PlainObject | null
  /** SKILL.md's front matter as parsed. */
  frontMatter: PlainObject
  /** By path: files that copies of a plain Agent Skill get, because it was adopted in memory. */
  adoptedFiles?: ReadonlyMap<string, string> | undefined
  /** Unknown keys, as dotted paths. */
  unknownKeys: readonly string[]
}

export interface SkillRuntime {
  language: string
  /** Path inside the skill, with forward slashes. */
  entrypoint: string
  /** Name of the function to call. */
  export: string
  /** True if calls may pass arguments that [inputs] does not declare; absent if not set. */
  additionalInputs?: boolean
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

/** Paths inside the skill, by language. An extension to the protocol. */
export interface SkillDependencies {
  /** A file of pinned lines `name==version --hash=sha256:…`. */
  python?: string
  /** A package-lock.json. */
  node?: string
}

/** Parts of the machine that a skill needs. An extension to the protocol. */
export interface SkillRequirements {
  /** Names of programs, without folders. */
  programs: readonly string[]
  /** Names of variables; a secret is also listed in the permissions. */
  environment: readonly { name: string; isSecret: boolean }[]
  /** Any of these systems: `linux`, `macos`, `windows`; empty for all. */
  os: readonly string[]
}

/** A call of an action skill, and its expected end. An extension to the protocol. */
export interface SkillExample {
  /** Place in the list of skill.toml, from 0. */
  index: number
  description: string | undefined
  /** The value of a blob is the path of a file of the skill. */
  args: PlainObject
  /** The whole result; undefined if any result is accepted. */
  result: Plain | undefined
  /** Type of the error with which the call fails; undefined for a call that succeeds. */
  error: string | undefined
}

/** Hosts and parts of requests that get the value of a secret, outside of the sandbox. */
export interface SecretUse {
  /** The only destinations that get the value, such as `https://api.example.com`. */
  hosts: readonly string[]
  /** Parts of a request, such as `header:Authorization`, `query:key`, `body` and `sigv4`. */
  in: readonly string[]
}

interface SkillPermissions {
  /** Allowlist entries as written, such as `https://*.salesforce.com`. */
  network: readonly string[]
  /** Names of secrets, never values. */
  secrets: readonly string[]
  /** Uses of the secrets whose values never enter the sandbox, by name. */
  secretUses?: Readonly<Record<string, SecretUse>>
}
