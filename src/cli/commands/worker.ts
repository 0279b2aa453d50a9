import type { CommandDefinition } from '../command.ts'

const NOT_RUN = 'runs until it is stopped'

export const command: CommandDefinition = {
  summary: 'Perform the runs of a fleet on this machine',
  startsRuns: true,
  details: [
    'Perform the runs of a fleet on this machine.',
    '',
    '- The fronts of the fleet send the calls: skills serve --fleet.',
    '- run.max_concurrent runs are performed at once. The policy of this machine',
    '  decides about each run.',
    '- On a signal, and on "skills fleet drain", it accepts no more calls and',
    '  gives runs --grace to finish.',
  ].join('\n'),
  untilStopped: true,
  options: [
    {
      flags: '--fleet <url>',
      description: 'Address of the engine (default: fleet.servers)',
    },
    { flags: '--name <name>', description: 'Name of this worker (default: fleet.name)' },
    {
      flags: '--allow-network',
      description: 'Allow skills to use their declared network, if the front does too',
    },
    {
      flags: '--secrets-file <file>',
      description: 'Read secrets from NAME=value lines in this file',
    },
    {
      flags: '--grace <duration>',
      description: 'Give runs this time to finish on shutdown (default: "10s")',
    },
    {
      flags: '--log-format <format>',
      description: 'Select the log format (default: text on a terminal, else json)',
      choices: ['text', 'json'],
    },
  ],
  examples: [
    {
      command: 'skills worker --fleet nats://127.0.0.1:4222',
      explains: 'Perform runs for an engine on this machine',
      notRun: NOT_RUN,
    },
    {
      command: 'skills worker --fleet tls://engine.example.com:4222 --name worker-1',
      explains: 'Join a fleet under a name',
      notRun: NOT_RUN,
    },
  ],
  async run(context, call) {
    const { runWorker } = await import('../fleet/run-worker.ts')
    return await runWorker(context, call)
  },
}
