export interface ExitStatus {
  exit: number
  meaning: string
  /** Text in help. */
  short: string
  /** True if the help of a command leaves it out, unless it is one of its own. */
  isRare?: true
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
    short: 'a consent is missing',
    isRare: true,
  },
  { exit: 5, meaning: '`skills vet`: dangerous', short: 'vet: dangerous', isRare: true },
  { exit: 10, meaning: '`skills diff`: minor', short: 'diff: minor', isRare: true },
  { exit: 20, meaning: '`skills diff`: major', short: 'diff: major', isRare: true },
  { exit: 30, meaning: '`skills diff`: danger', short: 'diff: danger', isRare: true },
  { exit: 130, meaning: 'Interrupted by Ctrl-C', short: 'interrupted' },
  { exit: 143, meaning: 'Ended by SIGTERM', short: 'ended by SIGTERM', isRare: true },
]

/** Formats the list that ends the help of a command; that of the program has all. */
export function formatExitStatuses({ isComplete = false, asksConsent = false } = {}): string {
  const shown = EXIT_STATUSES.filter(
    ({ exit, isRare }) => isComplete || !isRare || (exit === 4 && asksConsent),
  )
  const lines = shown.map(({ exit, short }) => `  ${String(exit).padEnd(5)}${short}`)
  return ['', 'Exit status:', ...lines].join('\n')
}
