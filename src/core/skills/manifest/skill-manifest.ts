import type { InputType, Plain, PlainObject, SkillKind } from './manifest.ts'
import type { SkillLanguageName } from './skill-languages.ts'

/**
 * `skill.toml` as data, as `create_skill` takes it. A type alias, because interfaces are not
 * assignable to JSON objects.
 */
export type SkillManifest = {
  $schema?: string
  /** Dotted id: segments of lower-case letters, digits, `_` and `-`. */
  name: string
  /** Semantic version. */
  version: string
  description: string
  /** `action` if omitted and `runtime` is present, else `instruction`. */
  kind?: SkillKind
  /** The first segment of the name if omitted. */
  namespace?: string
  tags?: string[]
  /** Required for action skills. */
  runtime?: SkillManifestRuntime
  inputs?: { [name: string]: SkillManifestInput }
  permissions?: SkillManifestPermissions
  dependencies?: SkillManifestDependencies
  requires?: SkillManifestRequirements
  /** Calls that show how an action skill is used. */
  examples?: SkillManifestExample[]
}

export type SkillManifestRuntime = {
  language: SkillLanguageName
  /** Path in the skill, with forward slashes. */
  entrypoint: string
  /** Name of the function; `main` if omitted. */
  export?: string
  /** True if calls may pass arguments that `inputs` does not declare. */
  additional_inputs?: boolean
}

export type SkillManifestInput = {
  type: InputType
  description?: string
  required?: boolean
  default?: Plain
  enum?: Plain[]
}

export type SkillManifestPermissions = {
  /** Destinations such as `https://*.example.com`. */
  network?: string[]
  /** Names of secrets, never values. */
  secrets?: string[] | Record<string, SkillManifestSecret>
}

/** One host, hosts, or hosts and the parts of requests into which the value is put. */
export type SkillManifestSecret = string | string[] | { hosts?: string[]; in?: string[] }

export type SkillManifestDependencies = {
  /** Path of a lock file with pinned digests. */
  python?: string
  /** Path of a package-lock.json. */
  node?: string
}

export type SkillManifestRequirements = {
  /** Names of programs, without folders. */
  programs?: string[]
  /** Names of environment variables. */
  environment?: string[]
  /** Any of these systems. */
  os?: ('linux' | 'macos' | 'windows')[]
}

export type SkillManifestExample = {
  description?: string
  /** The value of a blob is the path of a file of the skill. */
  args?: PlainObject
  /** The whole result. */
  result?: Plain
  /** Type of the error with which the call fails. */
  error?: string
}
