import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { SkillsError } from '../errors.ts'
import type { CommandLine } from './command.ts'
import type { Context } from './context.ts'
import { findSkillFolder } from './find-skill.ts'

/** Replaces names of skills by their folders, for commands that take paths. Paths come first. */
export async function resolveSkillNames(context: Context, call: CommandLine): Promise<CommandLine> {
  const args: string[] = []
  for (const word of call.args) args.push(await resolveSkillTarget(context, word))
  return { ...call, args }
}

async function resolveSkillTarget(context: Context, word: string): Promise<string> {
  if (/[/\\]/.test(word) || word === '' || existsSync(resolve(context.cwd, word))) return word
  try {
    return relative(context.cwd, await findSkillFolder(context, word)) || '.'
  } catch (thrown) {
    const { code, hint = '' } = thrown instanceof SkillsError ? thrown : {}
    // Without a similar name, the word is reported as a missing path.
    if (code === 'skill/not-found' && !hint.startsWith('Did you mean')) return word
    throw thrown
  }
}
