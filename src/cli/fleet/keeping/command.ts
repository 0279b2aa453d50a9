import type { CommandDefinition } from '../../command.ts'
import { FLEET_OPTION } from '../fleet-options.ts'

const NOT_RUN = 'it needs an engine'

export const gcCommand: CommandDefinition = {
  summary: 'Remove what has expired or is abandoned in a fleet',
  details: [
    'Remove what has expired or is abandoned in a fleet.',
    '',
    '- Removes expired runs, outputs, blobs and sessions, those beyond a quota, and',
    '  uploads that nothing names and that were not written to for an hour.',
    '- Lifetimes and quotas are those of this command line.',
    '- One of the fronts does the same every hour.',
  ].join('\n'),
  options: [
    { flags: '--dry-run', description: 'Show what would be removed; remove nothing' },
    FLEET_OPTION,
  ],
  examples: [
    {
      command: 'skills fleet gc --dry-run --fleet nats://127.0.0.1:4222',
      explains: 'Show what would be removed',
      notRun: NOT_RUN,
    },
    {
      command: 'skills fleet gc --json',
      explains: 'Remove it, and print the counts as JSON',
      notRun: NOT_RUN,
    },
  ],
  run: async (context, call) => await (await import('./gc.ts')).collectFleet(context, call),
}
