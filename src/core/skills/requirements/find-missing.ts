import { findProgram } from '../../../util/find-program.ts'
import type { SkillRequirements } from '../manifest/manifest.ts'

/** Programs and variables that a run on this machine would have. */
export interface AvailableParts {
  /** Search path of programs; undefined if runs have those of a container image. */
  path: string | undefined
  /** Names of variables of the caller that runs get, and that are set. */
  variables: ReadonlySet<string>
  /** Names of secrets that have a value. */
  secrets: ReadonlySet<string>
  platform: NodeJS.Platform
}

/** A requirement of a skill that this machine does not meet. */
export interface MissingRequirement {
  kind: 'program' | 'environment' | 'os'
  name: string
  /** How to meet it. */
  fix: string
}

const PLATFORMS: Readonly<Record<string, string>> = { macos: 'darwin', windows: 'win32' }

/** Lists what is missing. Nothing is executed: a skill could name any program. */
export function findMissingRequirements(
  requires: SkillRequirements | undefined,
  available: AvailableParts,
): MissingRequirement[] {
  if (!requires) return []
  const { path, variables, secrets, platform } = available
  const { programs, environment, os } = requires
  const found: MissingRequirement[] = []
  if (os.length > 0 && !os.some((name) => (PLATFORMS[name] ?? name) === platform)) {
    const fix = `Run it on ${os.join(' or ')}`
    found.push({ kind: 'os', name: os.join(', '), fix })
  }
  for (const name of programs) {
    if (path === undefined || findProgram(name, path) !== undefined) continue
    found.push({ kind: 'program', name, fix: `Install it for all users, in one of ${path}` })
  }
  for (const { name, isSecret } of environment) {
    if (variables.has(name) || (isSecret && secrets.has(name))) continue
    const fix = isSecret
      ? `Set it in the environment or in the file of secrets`
      : `Set it, and add it to run.environment in skills.config.toml`
    found.push({ kind: 'environment', name, fix })
  }
  return found
}

/** One sentence, such as `the program "jq" is missing`. */
export function describeMissing({ kind, name }: MissingRequirement): string {
  if (kind === 'os') return `it is for ${name}, not for this system`
  return kind === 'program'
    ? `the program "${name}" is missing`
    : `the environment variable "${name}" is not set for runs`
}
