import type { CommandDefinition } from '../../command.ts'
import { FLEET_OPTION } from '../fleet-options.ts'

const NOT_RUN = 'it needs an engine'

export const pushCommand: CommandDefinition = {
  summary: 'Add skills to the catalog of a fleet',
  details: [
    'Add skills to the catalog of a fleet.',
    '',
    '- A folder is that of one skill, or has skills at any depth.',
    '- Every node gets them at once. A version never changes: other files need',
    '  another version.',
    '- A skill with lint errors in its manifest is refused, as "create_skill" does.',
    '',
    'Exit status',
    '  0  all skills are in the catalog',
    '  1  a skill was refused',
  ].join('\n'),
  arguments: [{ syntax: '<folder...>', description: 'Folders of skills' }],
  options: [FLEET_OPTION],
  examples: [
    {
      command: 'skills fleet push ./skills --fleet nats://127.0.0.1:4222',
      explains: 'Push every skill below a folder',
      notRun: NOT_RUN,
    },
    {
      command: 'skills fleet push ./skills/greet --json',
      explains: 'Push one skill, and print the result as JSON',
      notRun: NOT_RUN,
    },
  ],
  run: async (context, call) => await (await import('./push.ts')).pushToFleet(context, call),
}

export const removeCommand: CommandDefinition = {
  summary: 'Remove a version of a skill from the catalog of a fleet',
  details: [
    'Remove a version of a skill from the catalog of a fleet.',
    '',
    'Runs in progress continue. The same files can be pushed again under this',
    'version, and other files cannot.',
  ].join('\n'),
  arguments: [{ syntax: '<skill>', description: 'The version, as name@version' }],
  options: [{ flags: '-y, --yes', description: 'Do not ask for confirmation' }, FLEET_OPTION],
  examples: [
    {
      command: 'skills fleet remove demo.greet@1.0.0 --fleet nats://127.0.0.1:4222',
      explains: 'Remove a version after a confirmation',
      notRun: NOT_RUN,
    },
    {
      command: 'skills fleet remove demo.greet@1.0.0 --yes',
      explains: 'Remove it in a script',
      notRun: NOT_RUN,
    },
  ],
  run: async (context, call) => await (await import('./remove.ts')).removeFromFleet(context, call),
}
