import type { OptionDefinition } from '../command.ts'
import { TOOL_OPTIONS } from '../mcp/choose-tools.ts'

/** Options of the commands that start a server. */
export const SERVE_OPTIONS: readonly OptionDefinition[] = [
  { flags: '--host <address>', description: 'Listen on this address', default: '127.0.0.1' },
  {
    flags: '--token-file <file>',
    description:
      'Require a token from this file, one per line: token, name, scopes (read,run,write,operate)',
  },
  { flags: '--no-auth', description: 'Require no token, on any address' },
  {
    flags: '--allow-host <name>',
    description: 'Accept this host name as well (repeatable)',
    isRepeatable: true,
  },
  {
    flags: '--allow-origin <origin>',
    description: 'Allow calls from web pages of this origin (repeatable)',
    isRepeatable: true,
  },
  ...TOOL_OPTIONS,
  { flags: '--allow-network', description: 'Allow skills to use their declared network' },
  {
    flags: '--secrets-file <file>',
    description: 'Read secrets from NAME=value lines in this file',
  },
  { flags: '--watch', description: 'Reload changed skills immediately (default on a terminal)' },
  {
    flags: '--no-watch',
    description: 'Serve the skills found at the start (default without a terminal)',
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
]
