import { reportError } from '../ui/report-error.ts'
import type { Context } from '../context.ts'
import type { KernelLanguage } from '../../core/runs/kernels/kernel-language.ts'
import type { KernelSession } from './kernel-session.ts'
import type { StatementBuffer } from './statement-buffer.ts'

export const INTERRUPTED = 130

/** A user, or a pipe, with a kernel. */
export interface Repl {
  context: Context
  session: KernelSession
  buffer: StatementBuffer
  language: KernelLanguage
}

/** Commands of a session; no statement is a dot and a word. */
const COMMANDS = {
  '.help': 'Show this list',
  '.restart': 'Start again without variables',
  '.exit': 'End the session, as Ctrl-D does',
} as const

const COMMAND_HELP = Object.entries(COMMANDS)
  .map(([name, text]) => `${name.padEnd(10)}${text}`)
  .join('\n')

/** How a line ended. */
export type LineEnd = 'done' | 'failed' | 'exit'

/** Executes the statements that a line completes, or a command of the session. */
export async function executeLine(repl: Repl, line: string): Promise<LineEnd> {
  const { buffer } = repl
  if (!buffer.isOpen && /^\.[a-z]+\s*$/.test(line)) return await runCommand(repl, line.trim())
  return await executeAll(repl, buffer.push(line))
}

/** Executes statements in their order, also after one that failed. */
export async function executeAll(
  { session }: Pick<Repl, 'session'>,
  statements: readonly string[],
): Promise<LineEnd> {
  let end: LineEnd = 'done'
  for (const each of statements) if (!(await session.execute(each))) end = 'failed'
  return end
}

/** Shows an error of the runtime, such as a refusal of the policy. */
export function showError(context: Context, error: unknown): void {
  if (!context.signal.aborted) reportError(error, context, context.global)
}

async function runCommand({ context, session }: Repl, name: string): Promise<LineEnd> {
  if (name === '.exit') return 'exit'
  if (name === '.help') {
    context.print(COMMAND_HELP)
    return 'done'
  }
  if (name === '.restart') {
    await session.restart()
    context.note('The variables are gone')
    return 'done'
  }
  const names = Object.keys(COMMANDS).join(', ')
  context.stderr.write(`Expected one of ${names}, got "${name}"\n`)
  return 'failed'
}
