import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Plain, SkillInput } from '../../core/skills/manifest/manifest.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { parseArgument } from '../parse-argument.ts'
import { withPrompts, type PromptStreams } from '../ui/prompts.ts'

/** Prompts for values that the command line leaves open. A watched run reuses the answers. */
export interface RunPrompts {
  /** Text of an input, as --arg takes it; the path of a file for a blob. */
  askInput(name: string, input: SkillInput): Promise<string>
  /** Value of a secret, typed without echo; undefined to run without it. */
  askSecret(name: string): Promise<string | undefined>
}

/** Returns undefined without a terminal, in CI, and with --json or --no-input. */
export function openRunPrompts(context: Context, call: CommandLine): RunPrompts | undefined {
  if (!context.isInteractive || call.options['input'] === false) return undefined
  const answers = new Map<string, string>()
  const remember = async (key: string, read: () => Promise<string>) => {
    const answer = answers.get(key) ?? (await read())
    answers.set(key, answer)
    return answer
  }
  return {
    askInput: async (name, input) =>
      await remember(`input ${name}`, async () => await promptForInput(context, name, input)),
    async askSecret(name) {
      const value = await remember(`secret ${name}`, async () => await promptSecret(context, name))
      return value === '' ? undefined : value
    },
  }
}

async function promptForInput(context: Context, name: string, input: SkillInput): Promise<string> {
  const { text, select } = await import('@clack/prompts')
  const about = input.description === undefined ? '' : `: ${input.description}`
  const message = toPrintable(`${name} (${input.type})${about}`)
  const choices = input.type === 'boolean' ? [true, false] : input.enum
  if (!choices) {
    const validate = (value = '') => describeInvalidAnswer(context, name, { input, value })
    return await ask(context, async (streams) => await text({ message, validate, ...streams }))
  }
  const options = choices.map((choice) => ({ value: toArgumentText(choice) }))
  return await ask(context, async (streams) => await select({ message, options, ...streams }))
}

async function promptSecret(context: Context, name: string): Promise<string> {
  const { password } = await import('@clack/prompts')
  const message = `Secret ${name} (Enter to run without it)`
  // An empty answer is undefined.
  const read = async (streams: PromptStreams) =>
    (await password({ message, mask: '*', ...streams })) ?? ''
  return await ask(context, read)
}

function describeInvalidAnswer(
  context: Context,
  name: string,
  { input, value }: { input: SkillInput; value: string },
): string | undefined {
  if (input.type === 'blob') {
    const stat = statSync(resolve(context.cwd, value), { throwIfNoEntry: false })
    return stat?.isFile() ? undefined : 'Expected the path of a file'
  }
  try {
    parseArgument(name, value, input.type)
    return undefined
  } catch (thrown) {
    return (thrown as Error).message
  }
}

function toArgumentText(value: Plain): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

async function ask(
  context: Context,
  run: (streams: PromptStreams) => Promise<string | symbol>,
): Promise<string> {
  const answer = await withPrompts(context, run)
  if (typeof answer === 'string') return answer
  throw new SkillsError('run/cancelled', 'Cancelled; nothing was run')
}
