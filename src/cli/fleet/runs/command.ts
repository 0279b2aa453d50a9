import type { CommandDefinition } from '../../command.ts'
import { FLEET_OPTION } from '../fleet-options.ts'

const NOT_RUN = 'it needs an engine'

export const runsCommand: CommandDefinition = {
  summary: 'List the runs of a fleet, newest first',
  details: [
    'List the runs of a fleet, newest first.',
    '',
    'The last column is the node that performs or performed the run.',
  ].join('\n'),
  options: [
    { flags: '--limit <count>', description: 'Show at most this many (default: 50)' },
    { flags: '--cursor <text>', description: 'Continue after the previous page' },
    FLEET_OPTION,
  ],
  examples: [
    {
      command: 'skills fleet runs --fleet nats://127.0.0.1:4222',
      explains: 'Show start, duration, target, status and node',
      notRun: NOT_RUN,
    },
    {
      command: 'skills fleet runs --limit 5 --json',
      explains: 'Print the last five records as JSON',
      notRun: NOT_RUN,
    },
  ],
  run: async (context, call) => await (await import('./list.ts')).listFleetRuns(context, call),
}
