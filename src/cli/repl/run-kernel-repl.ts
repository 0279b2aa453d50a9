import { SkillsError } from '../../errors.ts'
import type { KernelLanguage } from '../../core/runs/kernels/kernel-language.ts'
import { openHandle } from '../access/open-handle.ts'
import { getListOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { readRunSettings, readRunTimeout } from '../run/options.ts'
import { KernelSession } from './kernel-session.ts'
import type { Repl } from './repl.ts'
import { createNodeBuffer, createPythonBuffer } from './statement-buffer.ts'

/** Options that describe the call of a skill. */
const SKILL_OPTIONS = {
  args: '--args',
  arg: '--arg',
  blob: '--blob',
  secret: '--secret',
  secretsFile: '--secrets-file',
  dryRun: '--dry-run',
  repeat: '--repeat',
  logLevel: '--log-level',
} as const

/** Opens a kernel for statements, without a skill. Returns the exit code. */
export async function runKernelRepl(context: Context, call: CommandLine): Promise<number> {
  checkOptions(call)
  const language = (getTextOption(call, 'language') ?? 'python') as KernelLanguage
  const isTerminal = context.stdin.isTTY === true && context.stdout.isTTY === true
  const settings = readRunSettings(call)
  const handle = await openHandle(context, call, { settings, takesReferences: true })
  const session = new KernelSession(context, handle, {
    language,
    mounts: [...new Set(getListOption(call, 'mount'))],
    inputBlobs: [...new Set(getListOption(call, 'inputBlob'))],
    timeoutMs: readRunTimeout(call),
  })
  const buffer =
    language === 'python' ? createPythonBuffer(isTerminal) : createNodeBuffer(await import('acorn'))
  const repl: Repl = { context, session, buffer, language }
  try {
    if (!isTerminal) return await (await import('./piped-repl.ts')).runPiped(repl)
    return await (await import('./terminal-repl.ts')).runOnTerminal(repl)
  } finally {
    await session.end()
  }
}

function checkOptions(call: CommandLine): void {
  for (const [name, flag] of Object.entries(SKILL_OPTIONS)) {
    const value = call.options[name]
    if (value === undefined || value === false) continue
    throw new SkillsError('usage/invalid', `${flag} needs a skill`, {
      hint: `Type skills repl <skill> ${flag} …, or leave it out`,
    })
  }
}
