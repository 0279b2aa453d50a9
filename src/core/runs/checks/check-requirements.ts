import { SkillsError } from '../../../errors.ts'
import type { Config } from '../../config/config.ts'
import type { MountedSkill } from '../../skills/mounted-skill.ts'
import {
  describeMissing,
  findMissingRequirements,
  type AvailableParts,
} from '../../skills/requirements/find-missing.ts'
import { BASE_ENVIRONMENT } from '../base-environment.ts'

interface RunFacts {
  env: Readonly<Record<string, string | undefined>>
  /** Names of secrets that have a value. */
  secrets: ReadonlySet<string>
}

/** The parts of this machine that runs have by the configuration. */
export function describeAvailable(run: Config['run'], { env, secrets }: RunFacts): AvailableParts {
  return {
    path: run.container.image === undefined ? BASE_ENVIRONMENT.PATH : undefined,
    variables: new Set(run.environment.filter((name) => env[name] !== undefined)),
    secrets,
    platform: process.platform,
  }
}

/** Refuses a run before its start if a skill needs something that this machine does not have. */
export function checkRequirements(
  run: Config['run'],
  skills: readonly MountedSkill[],
  facts: RunFacts,
): void {
  const available = describeAvailable(run, facts)
  for (const { manifest } of skills) {
    const missing = findMissingRequirements(manifest.requires, available)
    if (missing.length === 0) continue
    throw new SkillsError(
      'skill/not-executable',
      `"${manifest.name}" cannot run on this machine: ${missing.map(describeMissing).join(', ')}`,
      {
        hint: missing.map(({ name, fix }) => `${name}: ${fix}`).join('; '),
        data: { missing: missing.map(({ kind, name }) => ({ kind, name })) },
      },
    )
  }
}
