import { SkillsError } from '../../errors.ts'

export function startFailedError(why: string): SkillsError {
  return new SkillsError(
    'sandbox/unavailable',
    `The sandbox did not start: ${why || 'no reason was given'}`,
    { hint: 'Type "skills doctor" to see what this machine lacks' },
  )
}

export function noControlGroupError(): SkillsError {
  return new SkillsError(
    'sandbox/too-weak',
    'Strict isolation is required, but this process may not make control groups',
    {
      hint: 'Run as root, start with "systemd-run --user --scope -p Delegate=yes" where control groups are of version 2, or allow less with --require-isolation any',
    },
  )
}

export function backendUnusableError(message: string, hint: string): SkillsError {
  return new SkillsError('sandbox/unavailable', message, { hint })
}

export function tooManyFilesError(): SkillsError {
  return backendUnusableError(
    'The sandbox did not start: too many files are open',
    'Allow more with "ulimit -n", or run less at once',
  )
}
