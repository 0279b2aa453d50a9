import type { CommandDefinition } from '../../command.ts'
import { FLEET_OPTION } from '../fleet-options.ts'

const NOT_RUN = 'it needs an engine'

export const verifyCommand: CommandDefinition = {
  summary: 'Verify that no audit record of a fleet was changed, removed or moved',
  details: [
    'Verify that no audit record of a fleet was changed, removed or moved.',
    '',
    '- Each start of a node is a chain of its own. Run records are compared with the',
    '  chains.',
    '- Epochs have the ends of all chains. The last line about an intact audit is an',
    '  anchor, which names the last epoch. Store it on another machine and pass it',
    '  with --anchor later: this also detects an audit that was rewritten completely.',
    '',
    'Exit status',
    '  0  the audit is intact',
    '  1  there are problems',
  ].join('\n'),
  options: [
    {
      flags: '--anchor <number:hash>',
      description: 'Compare with an earlier anchor (repeatable)',
      isRepeatable: true,
    },
    FLEET_OPTION,
  ],
  examples: [
    {
      command: 'skills fleet verify --fleet nats://127.0.0.1:4222',
      explains: 'Verify all chains and epochs',
      notRun: NOT_RUN,
    },
    {
      command: 'skills fleet verify --anchor 41:9f2a… --json',
      explains: 'Verify them against an earlier anchor, and print JSON',
      notRun: NOT_RUN,
    },
  ],
  run: async (context, call) => await (await import('./verify.ts')).verifyFleet(context, call),
}
