import type { Services } from '../../services.ts'
import type { SkillEntry } from '../../skills/repository/repository.ts'
import {
  findMissingRequirements,
  type MissingRequirement,
} from '../../skills/requirements/find-missing.ts'
import type { RunCall } from '../run-call.ts'
import { describeAvailable } from './check-requirements.ts'

/** Missing requirements of the skills that declare any. */
export async function findUnmet(
  { secrets, config }: Pick<Services, 'secrets' | 'config'>,
  skills: readonly SkillEntry[],
  { env }: Pick<RunCall, 'env'>,
): Promise<ReadonlyMap<SkillEntry, readonly MissingRequirement[]>> {
  const declaring = skills.filter(({ requires }) => requires)
  if (declaring.length === 0) return new Map()
  const names = declaring.flatMap(({ requires }) => requires?.environment ?? [])
  const values = await (await secrets()).values(names.map(({ name }) => name))
  // A list asks no command, which may have each of them.
  const asked = config.secrets.command.length > 0 ? names.map(({ name }) => name) : values.keys()
  const available = describeAvailable(config.run, { env, secrets: new Set(asked) })
  return new Map(
    declaring.map((skill) => [skill, findMissingRequirements(skill.requires, available)]),
  )
}
