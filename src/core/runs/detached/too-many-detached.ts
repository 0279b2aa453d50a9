import { SkillsError } from '../../../errors.ts'

/** Creates the error for a caller that has the maximum of detached runs. */
export function tooManyDetachedError(most: number): SkillsError {
  return new SkillsError(
    'run/busy',
    `This caller has ${most} detached ${most === 1 ? 'run' : 'runs'} already, the maximum of run.max_detached`,
    { hint: 'Wait until one ends, or cancel one', data: { max_detached: most } },
  )
}
