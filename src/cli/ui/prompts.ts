import { setMaxListeners } from 'node:events'
import type { Key } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { SkillsError } from '../../errors.ts'
import type { Context } from '../context.ts'

/** Streams of a prompt. It is cancelled by Ctrl-C, by Ctrl-D and by the end of its input. */
export interface PromptStreams {
  input: Readable
  output: Writable
  signal: AbortSignal
}

/** Runs a series of prompts on standard error. */
export async function withPrompts<T>(
  context: Context,
  run: (streams: PromptStreams) => Promise<T>,
): Promise<T> {
  const input = context.stdin as unknown as Readable
  const ended = new AbortController()
  const end = () => ended.abort()
  // Without a listener, a closed input leaves a prompt that never settles: Node exits with 13.
  const endOnCtrlD = (_: string | undefined, key: Key | undefined) => {
    if (key?.ctrl === true && key.name === 'd') end()
  }
  const signal = AbortSignal.any([context.signal, ended.signal])
  // Each prompt adds a listener and leaves it.
  setMaxListeners(0, signal)
  input.on('keypress', endOnCtrlD).on('end', end).on('close', end)
  try {
    return await run({
      input,
      output: context.stderr as unknown as Writable,
      signal,
    })
  } finally {
    input.off('keypress', endOnCtrlD).off('end', end).off('close', end)
  }
}

/** Returns the answer, or throws if the prompt was cancelled. */
export function requireAnswer(answer: string | symbol): string {
  if (typeof answer === 'string') return answer
  throw new SkillsError('run/cancelled', 'Cancelled; nothing was written')
}

/** Asks for a confirmation; false also if the prompt is cancelled. */
export async function confirmByPrompt(
  context: Context,
  question: { message: string; initialValue: boolean },
): Promise<boolean> {
  const { confirm } = await import('@clack/prompts')
  return await withPrompts(
    context,
    async (streams) => (await confirm({ ...question, ...streams })) === true,
  )
}

/** Asks for at least one of several values. */
export async function chooseByPrompt(
  context: Context,
  question: { message: string; options: { value: string; label: string; hint: string }[] },
): Promise<readonly string[]> {
  const { multiselect } = await import('@clack/prompts')
  const answer = await withPrompts(
    context,
    async (streams) => await multiselect({ ...question, required: true, ...streams }),
  )
  if (Array.isArray(answer)) return answer
  throw new SkillsError('run/cancelled', 'Cancelled; nothing was written')
}

/** Message of the error that a check throws, for the validation of a prompt. */
export function findInputError(check: () => unknown): string | undefined {
  try {
    check()
    return undefined
  } catch (thrown) {
    return (thrown as Error).message
  }
}
