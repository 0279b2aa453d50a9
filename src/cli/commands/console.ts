import type { CommandDefinition } from '../command.ts'
import { SERVE_OPTIONS } from '../serve/serve-options.ts'

const NOT_RUN = 'runs until it is stopped, and opens a browser'

export const command: CommandDefinition = {
  summary: 'Serve skills and open the console in a browser',
  startsRuns: true,
  details: [
    'Serve skills as "skills serve" does, and open the console in a browser: a page',
    'with skills, runs, code, sessions, policy, audit log and the server itself.',
    '',
    'Without --port it listens on port 8080, or on a free one if that is in use.',
    'Without a display or a terminal it prints the address instead.',
  ].join('\n'),
  untilStopped: true,
  options: [
    { flags: '--port <number>', description: 'Listen on this port; 0 selects a free one' },
    ...SERVE_OPTIONS,
  ],
  examples: [
    { command: 'skills console', explains: 'Open the console', notRun: NOT_RUN },
    {
      command: 'skills console --root ./skills --port 9000',
      explains: 'Show the skills of a folder, on another port',
      notRun: NOT_RUN,
    },
  ],
  async run(context, call) {
    const { choosePort } = await import('../serve/choose-port.ts')
    const { runServer } = await import('../serve/run-server.ts')
    const options = { ...call.options, port: await choosePort(call), open: true }
    return await runServer(context, { ...call, options })
  },
}
