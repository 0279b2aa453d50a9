import type { CommandDefinition } from '../../command.ts'
import { FLEET_OPTION } from '../fleet-options.ts'

const NOT_RUN = 'it needs an engine'

const PUSH_TOKENS: CommandDefinition = {
  summary: 'Add the tokens of a file to a fleet',
  details: [
    'Add the tokens of a file to a fleet, and replace those with the same names.',
    '',
    '- The file is that of "skills serve --token-file": token, name, scopes, limits.',
    '- The engine stores digests of the tokens, never the tokens.',
    '- Fronts without tokens of their own accept them within a second.',
  ].join('\n'),
  arguments: [{ syntax: '<file>', description: 'File with one token per line' }],
  options: [FLEET_OPTION],
  examples: [
    {
      command: 'skills fleet tokens push tokens.txt --fleet nats://127.0.0.1:4222',
      explains: 'Add or replace the tokens of a file',
      notRun: NOT_RUN,
    },
  ],
  run: async (context, call) => await (await import('./tokens.ts')).pushFleetTokens(context, call),
}

const LIST_TOKENS: CommandDefinition = {
  summary: 'List the names, scopes and limits of the tokens of a fleet',
  options: [FLEET_OPTION],
  examples: [
    {
      command: 'skills fleet tokens ls --fleet nats://127.0.0.1:4222',
      explains: 'Show the tokens by name',
      notRun: NOT_RUN,
    },
  ],
  run: async (context, call) => await (await import('./tokens.ts')).listFleetTokens(context, call),
}

const REMOVE_TOKEN: CommandDefinition = {
  summary: 'Remove a token from a fleet',
  details: [
    'Remove a token from a fleet. Fronts refuse it within a second.',
    '',
    'A fleet whose tokens were all removed accepts no caller.',
  ].join('\n'),
  arguments: [{ syntax: '<name>', description: 'Name of the token' }],
  options: [{ flags: '-y, --yes', description: 'Do not ask for confirmation' }, FLEET_OPTION],
  examples: [
    {
      command: 'skills fleet tokens rm alice --yes --fleet nats://127.0.0.1:4222',
      explains: 'Remove a token in a script',
      notRun: NOT_RUN,
    },
  ],
  run: async (context, call) => await (await import('./tokens.ts')).removeFleetToken(context, call),
}

export const tokensCommand: CommandDefinition = {
  summary: 'Manage the tokens that the fronts of a fleet accept',
  subcommands: { push: PUSH_TOKENS, ls: LIST_TOKENS, rm: REMOVE_TOKEN },
}

const PUSH_POLICY: CommandDefinition = {
  summary: 'Replace the policy of a fleet',
  details: [
    'Replace the policy of a fleet.',
    '',
    '- Every worker applies it in addition to its own policy, within a second.',
    '- It can only restrict: [approval] and [[programs]] are refused.',
    '- An empty file restricts nothing.',
  ].join('\n'),
  arguments: [{ syntax: '<file>', description: 'Policy, as TOML' }],
  options: [FLEET_OPTION],
  examples: [
    {
      command: 'skills fleet policy push policy.toml --fleet nats://127.0.0.1:4222',
      explains: 'Restrict the runs of all workers',
      notRun: NOT_RUN,
    },
  ],
  run: async (context, call) => await (await import('./policy.ts')).pushFleetPolicy(context, call),
}

const SHOW_POLICY: CommandDefinition = {
  summary: 'Print the policy of a fleet',
  options: [FLEET_OPTION],
  examples: [
    {
      command: 'skills fleet policy show --fleet nats://127.0.0.1:4222',
      explains: 'Print it, and its operator',
      notRun: NOT_RUN,
    },
  ],
  run: async (context, call) => await (await import('./policy.ts')).showFleetPolicy(context, call),
}

export const policyCommand: CommandDefinition = {
  summary: 'Manage the policy that all workers of a fleet apply',
  subcommands: { push: PUSH_POLICY, show: SHOW_POLICY },
}

const CREATE_KEY: CommandDefinition = {
  summary: 'Create the key of a node',
  details: [
    'Create the key of a node.',
    '',
    '- The seed is written to a file that only its user can read.',
    '- Prints the line of the key for "skills fleet keys config", and the lines for',
    '  nats-server, with the permissions of the role in the tenant fleet.tenant.',
    '- Roles: front, worker, and operator for the commands of "skills fleet".',
  ].join('\n'),
  arguments: [
    { syntax: '<role>', description: 'Role of the node', choices: ['front', 'worker', 'operator'] },
    { syntax: '<name>', description: 'Name of the node, as for --name' },
  ],
  options: [
    { flags: '--out <file>', description: 'Write the seed here (default: <role>-<name>.seed)' },
  ],
  examples: [
    {
      command: 'skills fleet keys create worker worker-1 --out worker-1.seed',
      explains: 'Create a key, and print its permissions',
    },
  ],
  run: async (context, call) => await (await import('./keys.ts')).createFleetKey(context, call),
}

const PRINT_ACCOUNTS: CommandDefinition = {
  summary: 'Print the accounts of nats-server for a list of keys',
  details: [
    'Print the accounts of nats-server for a list of keys.',
    '',
    'Each line of the file has a role, a name and a public key. Everything that a',
    'role does not need is refused by the engine.',
  ].join('\n'),
  arguments: [{ syntax: '<file>', description: 'Keys, one per line: role name public-key' }],
  options: [],
  examples: [
    {
      command: 'skills fleet keys config keys.txt > accounts.conf',
      explains: 'Write the section that the configuration of the engine includes',
      notRun: 'it needs a file of keys',
    },
  ],
  run: async (context, call) => await (await import('./keys.ts')).printAccounts(context, call),
}

export const keysCommand: CommandDefinition = {
  summary: 'Create keys of nodes, and the configuration of the engine for them',
  subcommands: { create: CREATE_KEY, config: PRINT_ACCOUNTS },
}
