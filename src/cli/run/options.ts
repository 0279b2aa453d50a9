import { BACKEND_CHOICES } from '../../core/config/run-keys.ts'
import { LOG_LEVELS, type LogLevel } from '../../core/runs/run-events.ts'
import { SkillsError } from '../../errors.ts'
import { parseDurationOption } from '../../util/quantity.ts'
import { REMOTE_OPTIONS } from '../access/remote-options.ts'
import {
  getFlagOption,
  getListOption,
  getTextOption,
  type CommandLine,
  type OptionDefinition,
} from '../command.ts'
import type { Context } from '../context.ts'

const RESULT_OPTIONS: readonly OptionDefinition[] = [
  { flags: '--out <dir>', description: 'Save created blobs in this folder' },
  { flags: '--keep [dir]', description: 'Copy the workspace to a folder after the run' },
  {
    flags: '--dry-run',
    description: 'Show files, hosts, secrets, limits and the policy decision; run nothing',
  },
  { flags: '--repeat <number>', description: 'Run this often and show the times' },
  {
    flags: '--log-level <level>',
    description: 'Show log messages of this level and above (default: debug)',
    choices: LOG_LEVELS,
  },
  {
    flags: '--detach',
    description: 'Print the id of the run and exit; the run continues (skills runs wait)',
  },
  { flags: '--watch', description: 'Run again after every change, until Ctrl-C' },
]

/** Options of every command that starts a run; `arg` describes how one argument is parsed. */
export function buildRunOptions({ arg }: { arg: string }): readonly OptionDefinition[] {
  return [
    {
      flags: '--args <json>',
      description: 'Pass all arguments: an object, @file, or - for standard input',
    },
    { flags: '--arg <key=value>', description: arg, completes: 'inputs', isRepeatable: true },
    {
      flags: '--blob <key=file>',
      description: 'Store a file, or - for standard input, and pass its id (repeatable)',
      isRepeatable: true,
    },
    {
      flags: '--input-blob <blob>',
      description: 'Allow the run to read this stored blob (repeatable)',
      isRepeatable: true,
    },
    {
      flags: '--secret <name>',
      description: 'Pass this environment variable as a secret (repeatable)',
      completes: 'secrets',
      isRepeatable: true,
    },
    {
      flags: '--secrets-file <file>',
      description: 'Read secrets from NAME=value lines in this file, such as .env',
    },
    { flags: '--no-input', description: 'Never ask for missing inputs or secrets' },
    {
      flags: '--timeout <duration>',
      description: 'End the run after this time: 30 (seconds), 500ms, 5m',
    },
    { flags: '--allow-network', description: 'Allow the run to reach its declared hosts' },
    {
      flags: '--host-packages',
      description: 'Let the run use the Python and Node packages of this machine',
    },
    {
      flags: '--backend <name>',
      description: 'Select the isolation backend',
      choices: BACKEND_CHOICES,
    },
    {
      flags: '--require-isolation <level>',
      description: 'Require this isolation level',
      choices: ['any', 'strict'],
    },
    ...RESULT_OPTIONS,
    ...REMOTE_OPTIONS,
  ]
}

/** Run settings of the command line, by configuration key. */
export function readRunSettings(call: CommandLine): Record<string, unknown> {
  const settings = {
    'run.backend': getTextOption(call, 'backend'),
    'run.require_isolation': getTextOption(call, 'requireIsolation'),
    'run.host_packages': getFlagOption(call, 'hostPackages') || undefined,
  }
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}

/** --log-level; all messages by default. */
export function readLogLevel(call: CommandLine): LogLevel {
  return (getTextOption(call, 'logLevel') as LogLevel | undefined) ?? 'debug'
}

/** --timeout in milliseconds. */
export function readRunTimeout(call: CommandLine): number | undefined {
  const text = getTextOption(call, 'timeout')
  if (text === undefined) return undefined
  const value = parseDurationOption(text)
  if (value !== undefined && value > 0) return value
  throw new SkillsError('usage/invalid', `Expected a duration for --timeout, got "${text}"`, {
    hint: 'Write it as 30 (seconds), 30s, 500ms or 5m',
  })
}

/** Rejects contradictory options. */
export function checkOptionCombinations(
  context: Context,
  call: CommandLine,
  codeIsInput: boolean,
): void {
  if (call.options['watch'] === true && context.global.json) {
    throw new SkillsError('usage/invalid', 'Expected --watch or --json, got both', {
      hint: 'Remove --json: it prints one document, but --watch runs repeatedly',
    })
  }
  for (const name of ['out', 'keep']) {
    if (call.options[name] !== '') continue
    throw new SkillsError('usage/invalid', `Expected a folder for --${name}, got ""`, {
      hint: `Add one, or remove --${name}`,
    })
  }
  const uses = [
    ...(codeIsInput ? ['the code'] : []),
    ...(getTextOption(call, 'args') === '-' ? ['--args'] : []),
    ...getListOption(call, 'blob')
      .filter((word) => word.endsWith('=-'))
      .map((word) => `--blob ${word}`),
  ]
  if (uses.length <= 1) return
  const list = uses.join(' and ')
  throw new SkillsError('usage/invalid', `Cannot read standard input for ${list}`, {
    hint: 'Read all but one from files',
  })
}
