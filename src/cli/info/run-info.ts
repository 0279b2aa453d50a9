import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { hasScheme } from '../../core/config/roots/root-source.ts'
import { expandSource } from '../../core/sources/expand-source.ts'
import { parseSkillSource } from '../../core/sources/skill-source.ts'
import { listRepositorySkills } from '../../core/sources/git/list-skills.ts'
import { openGitPlace } from '../../core/sources/git/fetch-git.ts'
import type { GitPlace } from '../../core/sources/source-place.ts'
import { whileFetching } from '../access/while-fetching.ts'
import { listLocalSkills } from '../install/source-skills.ts'
import { printSourceSkills } from '../install/source-skills.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { findSkillFolder } from '../find-skill.ts'
import { printInfo } from './print-info.ts'
import { readInfo, type InfoRequest } from './read-info.ts'

/** `skills info`. */
export async function runInfo(context: Context, call: CommandLine): Promise<number> {
  const [text = ''] = call.args
  const request = await findInfoPlace(context, text)
  const { source, place } = request
  if (place.type === 'git') return await showRepository(context, call, { source, place })
  const local = place.type === 'folder' ? await listLocalSkills(place.path) : []
  if (local.length > 0) printSourceSkills(context, { text, skills: local })
  else printInfo(context, await readInfo(context, call, request))
  return 0
}

/** A repository with several skills is a list of them. */
async function showRepository(
  context: Context,
  call: CommandLine,
  { source, place }: { source: string; place: GitPlace },
): Promise<number> {
  const repository = await whileFetching(
    context,
    source,
    async () => await openGitPlace(place, context),
  )
  try {
    const skills = await listRepositorySkills(repository, place)
    if (skills.length > 1) printSourceSkills(context, { text: source, skills })
    else printInfo(context, await readInfo(context, call, { source, place, repository }))
    return 0
  } finally {
    repository.close()
  }
}

/** A source as of "skills install", or the name of a skill that is here. */
export async function findInfoPlace(context: Context, typed: string): Promise<InfoRequest> {
  const text = expandSource(typed, context.cwd)
  const isSource = hasScheme(text) || /[/\\]/.test(text) || existsSync(resolve(context.cwd, text))
  if (isSource) return { source: text, place: parseSkillSource(text, context.cwd) }
  const path = await findSkillFolder(context, text)
  return { source: path, place: { type: 'folder', path } }
}
