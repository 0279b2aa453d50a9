import type { CommandDefinition } from '../../command.ts'
import { FLEET_OPTION } from '../fleet-options.ts'

const NOT_RUN = 'it needs an engine'

export const benchCommand: CommandDefinition = {
  summary: 'Measure the latency and the throughput that the engine allows',
  details: [
    'Measure the latency and the throughput that the engine allows.',
    '',
    '- Fronts and workers are in this process: their runs only wait. The tenant and its',
    '  workers are not used.',
    '- Latency: a run of 5 ms on a worker, beside the same without the fleet.',
    '- Throughput: runs of 50 ms on 1, 2, 4 and 8 workers of 4 places.',
    '- Streams of a tenant with a random name are created, and removed at the end.',
    '- The engine stores up to 640 runs per second meanwhile.',
  ].join('\n'),
  options: [
    {
      flags: '--time <duration>',
      description: 'Time for each of the six arms, from 1s to 60s',
      default: '5s',
    },
    FLEET_OPTION,
  ],
  examples: [
    {
      command: 'skills fleet bench --fleet nats://127.0.0.1:4222',
      explains: 'Measure for about 45 seconds',
      notRun: NOT_RUN,
    },
    {
      command: 'skills fleet bench --time 2s --json',
      explains: 'Measure for a shorter time, and print JSON',
      notRun: NOT_RUN,
    },
  ],
  run: async (context, call) => await (await import('./bench.ts')).benchFleet(context, call),
}
