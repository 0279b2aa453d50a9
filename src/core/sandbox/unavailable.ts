import { SkillsError } from '../../errors.ts'

/** A sandbox that did not come up, in the words of what should have started it. */
export function didNotStart(why: string): SkillsError {
  return new SkillsError(
    'sandbox/unavailable',
    `The sandbox did not start: ${why || 'no reason was given'}`,
    { hint: 'Type "skills doctor" to see what this machine lacks' },
  )
}

/** A backend that cannot be used on this machine at all. */
export function notUsable(message: string, hint: string): SkillsError {
  return new SkillsError('sandbox/unavailable', message, { hint })
}
