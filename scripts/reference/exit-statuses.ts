/** Exit statuses that all commands share; the codes of errors.md map to these. */
export const EXIT_STATUSES = [
  { exit: 0, meaning: 'Success' },
  {
    exit: 1,
    meaning:
      'The command worked, and its result is negative: lint findings, a failed or denied run',
  },
  { exit: 2, meaning: 'The command line, the configuration or a policy file is not valid' },
  { exit: 3, meaning: 'The command could not do its work' },
  { exit: 130, meaning: 'Interrupted by Ctrl-C' },
  { exit: 143, meaning: 'Ended by SIGTERM' },
] as const
