import type { CommandDefinition } from '../command.ts'

/** A command in the overview; its module is loaded only when the command runs. */
export interface CommandEntry {
  name: string
  summary: string
  /** Heading on the first page of help; a command without one is on the page of all commands. */
  group?: 'Write' | 'Check' | 'Share' | 'Use' | 'Serve' | 'Look'
  /** Omitted from help: internal commands for generated scripts. */
  hidden?: true
  load(): Promise<{ command: CommandDefinition }>
}

/** Every command, in help order. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'new',
    summary: 'Create a skill from a template',
    group: 'Write',
    load: () => import('./new.ts'),
  },
  {
    name: 'adopt',
    summary: 'Turn an Agent Skill or an OpenAPI document into a skill',
    group: 'Write',
    load: () => import('./adopt.ts'),
  },
  {
    name: 'init',
    summary: 'Set up a project: configuration, hook, CI, schemas',
    group: 'Write',
    load: () => import('./init.ts'),
  },
  {
    name: 'deps',
    summary: 'Install the packages in the lock files of a skill, or change them',
    load: () => import('./deps.ts'),
  },
  {
    name: 'lint',
    summary: 'Check skills and fix findings',
    group: 'Check',
    load: () => import('./lint.ts'),
  },
  {
    name: 'test',
    summary: 'Run the tests of skills in sandboxes',
    group: 'Check',
    load: () => import('./test.ts'),
  },
  {
    name: 'vet',
    summary: 'Check whether a skill is dangerous: read it, run it with bait, show proof',
    group: 'Check',
    load: () => import('./vet.ts'),
  },
  {
    name: 'diff',
    summary: 'Compare two versions of a skill by what changes for its users',
    group: 'Check',
    load: () => import('./diff.ts'),
  },
  {
    name: 'pack',
    summary: 'Write a skill as archives that are the same on every machine',
    group: 'Share',
    load: () => import('./pack.ts'),
  },
  {
    name: 'sign',
    summary: 'Sign a skill or an archive with a key',
    load: () => import('./sign.ts'),
  },
  {
    name: 'publish',
    summary: 'Publish a skill, and verify what the target returns',
    group: 'Share',
    load: () => import('./publish.ts'),
  },
  {
    name: 'search',
    summary: 'Find skills in indexes, sites and on this machine',
    group: 'Use',
    load: () => import('./search.ts'),
  },
  {
    name: 'info',
    summary: 'Show a skill of a source, without installing it',
    group: 'Use',
    load: () => import('./info.ts'),
  },
  {
    name: 'install',
    summary: 'Install skills into this project, or repair what is installed',
    group: 'Use',
    load: () => import('./install.ts'),
  },
  {
    name: 'update',
    summary: 'Update installed skills, after a comparison',
    group: 'Use',
    load: () => import('./update.ts'),
  },
  {
    name: 'remove',
    summary: 'Remove installed skills',
    group: 'Use',
    load: () => import('./remove.ts'),
  },
  {
    name: 'exec',
    summary: 'Run a skill in a sandbox',
    group: 'Use',
    load: () => import('./exec.ts'),
  },
  {
    name: 'run-code',
    summary: 'Run code in a sandbox, as a function or a program',
    group: 'Use',
    load: () => import('./run-code.ts'),
  },
  {
    name: 'shell',
    summary: 'Open a shell in the workspace of a skill',
    load: () => import('./shell.ts'),
  },
  {
    name: 'serve',
    summary: 'Serve skills to agents over HTTP',
    group: 'Serve',
    load: () => import('./serve.ts'),
  },
  {
    name: 'mcp',
    summary: 'Serve skills to an MCP client',
    group: 'Serve',
    load: () => import('./mcp.ts'),
  },
  {
    name: 'list',
    summary: 'List the skills found from this folder',
    group: 'Look',
    load: () => import('./list.ts'),
  },
  {
    name: 'describe',
    summary: 'Show what a skill does and its permissions',
    group: 'Look',
    load: () => import('./describe.ts'),
  },
  {
    name: 'read',
    summary: 'Print a file of a skill',
    group: 'Look',
    load: () => import('./read.ts'),
  },
  {
    name: 'runs',
    summary: 'List, query, await, cancel and remove runs',
    group: 'Look',
    load: () => import('./runs.ts'),
  },
  {
    name: 'doctor',
    summary: 'Check that this machine can run skills',
    group: 'Look',
    load: () => import('./doctor.ts'),
  },
  {
    name: 'roots',
    summary: 'Fetch and list the folders in which skills are found',
    load: () => import('./roots.ts'),
  },
  {
    name: 'repl',
    summary: 'Execute statements in a sandbox: of a kernel, or of a skill',
    load: () => import('./repl.ts'),
  },
  {
    name: 'worker',
    summary: 'Perform the runs of a fleet on this machine',
    load: () => import('./worker.ts'),
  },
  {
    name: 'fleet',
    summary: 'Prepare, inspect and drain a fleet of workers and fronts',
    load: () => import('./fleet.ts'),
  },
  {
    name: 'conformance',
    summary: 'Check a runtime against the Skills Protocol',
    load: () => import('./conformance.ts'),
  },
  {
    name: 'blobs',
    summary: 'Store, fetch and remove blobs',
    load: () => import('./blobs.ts'),
  },
  {
    name: 'policy',
    summary: 'Explain the policy, and check a request against it',
    load: () => import('./policy.ts'),
  },
  {
    name: 'audit',
    summary: 'List, verify and export the audit log',
    load: () => import('./audit.ts'),
  },
  {
    name: 'agent',
    summary: 'Call the tools that agents use for skills',
    load: () => import('./agent.ts'),
  },
  {
    name: 'prompt',
    summary: 'Print a system prompt or tool definitions for a model',
    load: () => import('./prompt.ts'),
  },
  {
    name: 'tokens',
    summary: 'Count the tokens of skills, by layer',
    load: () => import('./tokens.ts'),
  },
  {
    name: 'grant',
    summary: 'Grant secrets and network to an uploaded skill, or give it to another caller',
    load: () => import('./grant.ts'),
  },
  {
    name: 'verify',
    summary: 'Verify the signatures of a skill or an archive',
    load: () => import('./verify.ts'),
  },
  {
    name: 'keys',
    summary: 'Manage your own keys, and those that you trust',
    load: () => import('./keys.ts'),
  },
  {
    name: 'trust',
    summary: 'Obey all settings of a project',
    load: () => import('./trust.ts'),
  },
  {
    name: 'config',
    summary: 'Show the configuration and its origins, or change it',
    load: () => import('./config.ts'),
  },
  {
    name: 'schema',
    summary: 'Print the JSON Schema of a file, such as skill.toml',
    load: () => import('./schema.ts'),
  },
  {
    name: 'completion',
    summary: 'Print a shell completion script',
    load: () => import('./completion.ts'),
  },
  {
    name: 'skill-names',
    summary: 'Print the names of all skills, one per line',
    hidden: true,
    load: () => import('./skill-names.ts'),
  },
  {
    name: 'completion-values',
    summary: 'Print the values that complete a command line',
    hidden: true,
    load: () => import('../completion/list-values.ts'),
  },
]
