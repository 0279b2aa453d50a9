import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { hasScheme } from '../../core/config/roots/root-source.ts'
import { expandSource } from '../../core/sources/expand-source.ts'
import { parseSkillSource } from '../../core/sources/skill-source.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { findSkillFolder } from '../find-skill.ts'
import { printInfo } from './print-info.ts'
import { readInfo, type InfoRequest } from './read-info.ts'

/** `skills info`. */
export async function runInfo(context: Context, call: CommandLine): Promise<number> {
  const [text = ''] = call.args
  printInfo(context, await readInfo(context, call, await findInfoPlace(context, text)))
  return 0
}

/** A source as of "skills install", or the name of a skill that is here. */
async function findInfoPlace(context: Context, typed: string): Promise<InfoRequest> {
  const text = expandSource(typed, context.cwd)
  const isSource = hasScheme(text) || /[/\\]/.test(text) || existsSync(resolve(context.cwd, text))
  if (isSource) return { source: text, place: parseSkillSource(text, context.cwd) }
  const path = await findSkillFolder(context, text)
  return { source: path, place: { type: 'folder', path } }
}
