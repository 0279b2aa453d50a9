import type { CommandDefinition } from '../command.ts'
import { keysCommand, policyCommand, tokensCommand } from '../fleet/access/commands.ts'
import { verifyCommand } from '../fleet/audit/command.ts'
import { FLEET_OPTION } from '../fleet/fleet-options.ts'
import { deadCommand, jobsCommand } from '../fleet/jobs/commands.ts'
import { gcCommand } from '../fleet/keeping/command.ts'
import { runsCommand } from '../fleet/runs/command.ts'
import { pushCommand, removeCommand } from '../fleet/skills/commands.ts'

const NOT_RUN = 'it needs an engine'

const INIT: CommandDefinition = {
  summary: 'Create the streams of a fleet, or change their lifetimes',
  details: [
    'Create the streams of a fleet, or change their lifetimes.',
    '',
    '- The lifetimes are those of store.runs.ttl and store.ttl.',
    '  Nothing is removed.',
    '- Streams of another version are refused, and stay as they are.',
    '- What this version of the engine cannot guarantee is printed.',
    '- Several replicas need a cluster of nats-server 2.10.23 or newer.',
  ].join('\n'),
  options: [
    {
      flags: '--replicas <count>',
      description: 'Store each message on this many servers',
      default: '1',
    },
    FLEET_OPTION,
  ],
  examples: [
    {
      command: 'skills fleet init --fleet nats://127.0.0.1:4222',
      explains: 'Prepare an engine on this machine',
      notRun: NOT_RUN,
    },
    {
      command: 'skills fleet init --replicas 3 --fleet tls://engine.example.com:4222',
      explains: 'Store each message on three servers of a cluster',
      notRun: NOT_RUN,
    },
  ],
  run: async (context, call) => await (await import('../fleet/init.ts')).initFleet(context, call),
}

const STATUS: CommandDefinition = {
  summary: 'Show the engine, its streams, and whether workers accept calls',
  details: [
    'Show the engine, its streams, and whether workers accept calls.',
    '',
    '- Places are runs at once, of workers that accept calls.',
    '- The exit status is 1 if no worker accepts calls, or the streams are missing.',
  ].join('\n'),
  options: [FLEET_OPTION],
  examples: [
    {
      command: 'skills fleet status --fleet nats://127.0.0.1:4222',
      explains: 'Show the state of a fleet',
      notRun: NOT_RUN,
    },
    {
      command: 'skills fleet status --json',
      explains: 'Print it as JSON, for the engine of fleet.servers',
      notRun: NOT_RUN,
    },
  ],
  run: async (context, call) =>
    await (await import('../fleet/status.ts')).showFleetStatus(context, call),
}

const NODES: CommandDefinition = {
  summary: 'List the workers and fronts that are heard',
  details: [
    'List the workers and fronts that are heard.',
    '',
    'RUNNING has the runs and the places of a worker, and the calls of a front.',
    'Texts come from the nodes themselves.',
  ].join('\n'),
  options: [FLEET_OPTION],
  examples: [
    {
      command: 'skills fleet nodes --fleet nats://127.0.0.1:4222',
      explains: 'Show names, versions and places',
      notRun: NOT_RUN,
    },
  ],
  run: async (context, call) => await (await import('../fleet/nodes.ts')).listNodes(context, call),
}

const DRAIN: CommandDefinition = {
  summary: 'Let a node end its calls and accept no more',
  details: [
    'Let a node end its calls and accept no more.',
    '',
    'Waits until no call is left, or the node is gone. On Ctrl-C the node',
    'continues to drain.',
  ].join('\n'),
  arguments: [
    { syntax: '<node>', description: 'Name of the node, as "skills fleet nodes" shows it' },
  ],
  options: [
    {
      flags: '--role <role>',
      description: 'Select one of two nodes with the same name',
      choices: ['worker', 'front'],
    },
    { flags: '--no-wait', description: 'Do not wait for the end of its calls' },
    FLEET_OPTION,
  ],
  examples: [
    {
      command: 'skills fleet drain worker-1 --fleet nats://127.0.0.1:4222',
      explains: 'Drain a worker before its update',
      notRun: NOT_RUN,
    },
  ],
  run: async (context, call) => await (await import('../fleet/drain.ts')).drainNode(context, call),
}

export const command: CommandDefinition = {
  summary: 'Prepare, inspect and drain a fleet of workers and fronts',
  details: [
    'Prepare, inspect and drain a fleet of workers and fronts.',
    '',
    '- The engine of a fleet is nats-server with JetStream.',
    '- Connections to other machines use tls://. The address contains no secret:',
    '  fleet.seed names a file with the seed of a key.',
    "- Settings of fleets are only allowed in the user's configuration.",
  ].join('\n'),
  subcommands: {
    init: INIT,
    status: STATUS,
    nodes: NODES,
    drain: DRAIN,
    push: pushCommand,
    remove: removeCommand,
    runs: runsCommand,
    jobs: jobsCommand,
    dead: deadCommand,
    gc: gcCommand,
    verify: verifyCommand,
    tokens: tokensCommand,
    policy: policyCommand,
    keys: keysCommand,
  },
}
