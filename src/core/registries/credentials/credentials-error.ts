import { SkillsError } from '../../../errors.ts'

/** A file or a variable with credentials that cannot be used. Its content is not shown. */
export function credentialsError(
  place: string,
  problem: string,
  hint = 'Correct it, or set SKILLS_REGISTRY and SKILLS_REGISTRY_TOKEN instead',
): SkillsError {
  return new SkillsError(
    'config/invalid',
    `The credentials in "${place}" are not valid: ${problem}`,
    { hint },
  )
}
