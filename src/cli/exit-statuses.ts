export interface ExitStatus {
  exit: number
  meaning: string
  /** Text in the help of a command; a status without it is only in the reference. */
  short?: string
}

/** Exit statuses that all commands share; src/errors.ts maps error codes to them. */
export const EXIT_STATUSES: readonly ExitStatus[] = [
  { exit: 0, meaning: 'Success', short: 'done' },
  {
    exit: 1,
    meaning:
      'The command worked, and its result is negative: lint findings, a failed or denied run',
    short: 'findings, or a failed run',
  },
  {
    exit: 2,
    meaning: 'The command line, the configuration or a policy file is not valid',
    short: 'wrong usage',
  },
  {
    exit: 3,
    meaning: 'The command could not do its work',
    short: 'the command could not do its work',
  },
  {
    exit: 4,
    meaning:
      'A skill was not installed, because a consent is missing: pass its digest with `--trust`',
  },
  { exit: 130, meaning: 'Interrupted by Ctrl-C', short: 'interrupted' },
  { exit: 143, meaning: 'Ended by SIGTERM' },
]

/** Formats the list that ends the help of every command. */
export function formatExitStatuses({ asksConsent = false } = {}): string {
  const shown = EXIT_STATUSES.map(({ exit, short }) => ({
    exit,
    short: exit === 4 && asksConsent ? 'a consent is missing' : short,
  }))
  const lines = shown.flatMap(({ exit, short }) =>
    short === undefined ? [] : [`  ${String(exit).padEnd(5)}${short}`],
  )
  return ['', 'Exit status:', ...lines].join('\n')
}
