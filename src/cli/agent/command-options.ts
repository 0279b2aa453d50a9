import { readFileSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { MethodParams } from '../../core/methods/define-method.ts'
import type { Definitions } from '../../core/methods/definitions.ts'
import { SkillsError } from '../../errors.ts'
import { parseDurationOption } from '../../util/quantity.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import {
  getFlagOption,
  getListOption,
  getTextOption,
  type CommandLine,
  type OptionDefinition,
} from '../command.ts'
import type { Context } from '../context.ts'
import { readSession } from './session-options.ts'

/** A file of the conversation is sent in one message. */
const MAX_FILE_BYTES = 16 * 1024 ** 2

/** Options that `skills agent run` and `exec` share. */
export const COMMAND_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '--cwd <folder>',
    description: "Start in this folder (default: the skill's folder)",
  },
  {
    flags: '--env <NAME=value>',
    description: 'Set an environment variable (repeatable)',
    isRepeatable: true,
  },
  {
    flags: '--input <from[=to]>',
    description: 'Copy in artifact://, host://, workspace:// or skill:// (repeatable)',
    isRepeatable: true,
  },
  {
    flags: '--file <path>',
    description: 'Copy in a local file as a file of the conversation (repeatable)',
    isRepeatable: true,
  },
  {
    flags: '--output <pattern>',
    description: 'Return these files, such as out/*.txt (repeatable)',
    isRepeatable: true,
  },
  { flags: '--save', description: 'Save the files of --output as artifacts' },
  {
    flags: '--editor-text <text>',
    description: 'Provide this text to a program that opens an editor',
  },
  {
    flags: '--timeout <duration>',
    description: 'End the command after this time: 30 (seconds), 500ms, 5m',
  },
]

/** Builds the tool's parameters from a command line. */
export function readCommandParams(
  context: Context,
  call: CommandLine,
): MethodParams<Definitions['skill_run']> {
  const [skill = '', ...commandWords] = call.args
  const outputs = getListOption(call, 'output')
  const inputs = getListOption(call, 'input').map(parseInputPair)
  const files = getListOption(call, 'file').map((path) => readConversationFile(context, path))
  const env = getListOption(call, 'env').map(parseVariablePair)
  const timeout = getTextOption(call, 'timeout')
  const cwd = getTextOption(call, 'cwd')
  const editorText = getTextOption(call, 'editorText')
  return {
    ...readSession(call),
    skill,
    // A single word is a shell command line; several words are quoted arguments.
    command:
      commandWords.length === 1
        ? (commandWords[0] ?? '')
        : commandWords.map(quoteShellWord).join(' '),
    ...(cwd !== undefined && { cwd }),
    ...(env.length > 0 && { env: Object.fromEntries(env) }),
    ...(inputs.length > 0 && { inputs }),
    ...(files.length > 0 && { files }),
    ...(outputs.length > 0 && { output_files: [...outputs] }),
    ...(getFlagOption(call, 'save') && { save_as_artifacts: true }),
    ...(editorText !== undefined && { editor_text: editorText }),
    ...(timeout !== undefined && { timeout: parseTimeoutSeconds(timeout) }),
  }
}

function parseVariablePair(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
  throw commandUsageError(
    `Expected NAME=value for --env, got "${text}"`,
    'Write it as --env NAME=value',
  )
}

function parseInputPair(text: string): { from: string; to?: string } {
  const at = text.lastIndexOf('=')
  return at > 0 ? { from: text.slice(0, at), to: text.slice(at + 1) } : { from: text }
}

function readConversationFile(context: Context, path: string): { name: string; data: string } {
  const fullPath = resolve(context.cwd, path)
  const stat = statSync(fullPath, { throwIfNoEntry: false })
  if (!stat?.isFile()) {
    throw new SkillsError('file/not-found', `There is no file "${path}"`, {
      hint: 'Check the path',
    })
  }
  if (stat.size > MAX_FILE_BYTES) {
    throw new SkillsError('file/too-large', `"${path}" is larger than 16 MiB`, {
      hint: 'Add its folder to workspace.host_roots, and use --input host://…',
    })
  }
  return { name: basename(fullPath), data: readFileSync(fullPath).toString('base64') }
}

function parseTimeoutSeconds(text: string): number {
  const ms = parseDurationOption(text)
  if (ms !== undefined && ms > 0) return ms / 1000
  throw commandUsageError(
    `Expected a duration for --timeout, got "${text}"`,
    'Write it as --timeout 30 (seconds), 30s, 500ms or 5m',
  )
}

function commandUsageError(message: string, hint: string): SkillsError {
  return new SkillsError('usage/invalid', message, { hint })
}
