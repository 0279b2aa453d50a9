import type { CommandDefinition } from '../command.ts'

/** A command in the overview; its module is loaded only when the command runs. */
export interface CommandEntry {
  name: string
  summary: string
  /** Omitted from help: internal commands for generated scripts. */
  hidden?: true
  load(): Promise<{ command: CommandDefinition }>
}

/** Every command, in help order. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'list',
    summary: 'List the skills that are found here',
    load: () => import('./list.ts'),
  },
  {
    name: 'new',
    summary: 'Write a new skill from a template',
    load: () => import('./new.ts'),
  },
  {
    name: 'lint',
    summary: 'Check skills, and fix what can be fixed',
    load: () => import('./lint.ts'),
  },
  {
    name: 'rules',
    summary: 'List the rules that lint applies',
    load: () => import('./rules.ts'),
  },
  {
    name: 'exec',
    summary: 'Run a skill in a sandbox',
    load: () => import('./exec.ts'),
  },
  {
    name: 'run-code',
    summary: 'Run code in a sandbox: a function of it, or all of it as a program',
    load: () => import('./run-code.ts'),
  },
  {
    name: 'shell',
    summary: "Open a terminal in a skill's workspace",
    load: () => import('./shell.ts'),
  },
  {
    name: 'serve',
    summary: 'Serve skills to agents over HTTP',
    load: () => import('./serve.ts'),
  },
  {
    name: 'mcp',
    summary: 'Serve skills to an MCP client',
    load: () => import('./mcp.ts'),
  },
  {
    name: 'conformance',
    summary: 'Check any runtime against the Skills Protocol',
    load: () => import('./conformance.ts'),
  },
  {
    name: 'blobs',
    summary: 'Store, fetch and remove blobs',
    load: () => import('./blobs.ts'),
  },
  {
    name: 'runs',
    summary: 'Look at the records of runs, and remove them',
    load: () => import('./runs.ts'),
  },
  {
    name: 'policy',
    summary: 'Show what may be run, and try a request against it',
    load: () => import('./policy.ts'),
  },
  {
    name: 'audit',
    summary: 'Look at the log of all decisions, check and export it',
    load: () => import('./audit.ts'),
  },
  {
    name: 'describe',
    summary: 'Show what a skill does and what it may do',
    load: () => import('./describe.ts'),
  },
  {
    name: 'read',
    summary: 'Print a file of a skill',
    load: () => import('./read.ts'),
  },
  {
    name: 'agent',
    summary: 'Try the tools that agents get for skills',
    load: () => import('./agent.ts'),
  },
  {
    name: 'tools',
    summary: 'Print the definitions of tools for a model, as JSON',
    load: () => import('./tools.ts'),
  },
  {
    name: 'prompt',
    summary: 'Print the recommended system prompt for the skills that are found here',
    load: () => import('./prompt.ts'),
  },
  {
    name: 'tokens',
    summary: 'Show what skills cost in a model’s context, layer by layer',
    load: () => import('./tokens.ts'),
  },
  {
    name: 'deps',
    summary: 'Install the packages that a skill pins in its lock file',
    load: () => import('./deps.ts'),
  },
  {
    name: 'grant',
    summary: 'Give a skill that came over the wire its secrets and network',
    load: () => import('./grant.ts'),
  },
  {
    name: 'config',
    summary: 'Show the effective configuration and where it comes from',
    load: () => import('./config.ts'),
  },
  {
    name: 'schema',
    summary: 'Print the JSON Schema of skill.toml, of the configuration or of a policy',
    load: () => import('./schema.ts'),
  },
  {
    name: 'doctor',
    summary: 'Check that this machine has what skills need',
    load: () => import('./doctor.ts'),
  },
  {
    name: 'completion',
    summary: 'Print a script that completes commands in a shell',
    load: () => import('./completion.ts'),
  },
  {
    name: 'skill-names',
    summary: 'Print the names of all skills, one a line',
    hidden: true,
    load: () => import('./skill-names.ts'),
  },
]
