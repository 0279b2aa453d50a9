import type { CommandDefinition } from '../../command.ts'
import { FLEET_OPTION } from '../fleet-options.ts'

const NOT_RUN = 'it needs an engine'

export const jobsCommand: CommandDefinition = {
  summary: 'List the detached runs of a fleet that have not ended',
  details: [
    'List the detached runs of a fleet that have not ended, oldest first.',
    '',
    'AGE counts from the start of the call. A queued run has no worker yet.',
  ].join('\n'),
  options: [FLEET_OPTION],
  examples: [
    {
      command: 'skills fleet jobs --fleet nats://127.0.0.1:4222',
      explains: 'Show age, state, caller and worker',
      notRun: NOT_RUN,
    },
    {
      command: 'skills fleet jobs --json',
      explains: 'Print them as JSON, for the engine of fleet.servers',
      notRun: NOT_RUN,
    },
  ],
  run: async (context, call) => await (await import('./list.ts')).listJobs(context, call),
}

export const deadCommand: CommandDefinition = {
  summary: 'List the detached runs of a fleet that ended without a record',
  details: [
    'List the detached runs of a fleet that ended without a record, newest first.',
    '',
    'These runs could not start, waited for longer than a day, or their worker',
    'was lost before the run had a record. Cancelled runs are not listed.',
  ].join('\n'),
  options: [
    { flags: '--limit <count>', description: 'Show at most this many (default: 50)' },
    FLEET_OPTION,
  ],
  examples: [
    {
      command: 'skills fleet dead --fleet nats://127.0.0.1:4222',
      explains: 'Show the reasons',
      notRun: NOT_RUN,
    },
    {
      command: 'skills fleet dead --limit 5 --json',
      explains: 'Print the last five as JSON',
      notRun: NOT_RUN,
    },
  ],
  run: async (context, call) => await (await import('./dead.ts')).showDeadJobs(context, call),
}
