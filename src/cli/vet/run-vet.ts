import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { maskSource } from '../../core/lint/secrets/mask-secrets.ts'
import { findSkillsBelow } from '../../core/lint/targets.ts'
import { prepareSkill } from '../../core/installing/prepare-skill.ts'
import { fetchSource } from '../../core/sources/fetch-source.ts'
import { listRepositorySkills } from '../../core/sources/git/list-skills.ts'
import { openGitPlace } from '../../core/sources/git/open-place.ts'
import { parseSkillSource } from '../../core/sources/skill-source.ts'
import type { GitPlace } from '../../core/sources/source-place.ts'
import type { FetchOptions } from '../../core/sources/fetched-skill.ts'
import {
  findWorstVerdict,
  vetFolder,
  type VetVerdict,
  type VetReport,
} from '../../core/vetting/index.ts'
import { whileFetching } from '../access/while-fetching.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import type { InfoRequest } from '../info/read-info.ts'
import { findInfoPlace } from '../info/run-info.ts'
import { withStagedFiles } from '../info/staged-files.ts'
import { renderVetReport } from './render-vet.ts'
import type { VettedSkill } from './vetted-skill.ts'

const EXITS: Readonly<Record<VetVerdict, number>> = {
  'nothing found': 0,
  suspicious: 1,
  dangerous: 5,
}

/** `skills vet`. */
export async function runVet(context: Context, call: CommandLine): Promise<number> {
  const [text = ''] = call.args
  const skills = await vetSource(context, await findInfoPlace(context, text))
  const file = getTextOption(call, 'outputFile')
  const format = context.global.json ? 'json' : (getTextOption(call, 'format') ?? 'pretty')
  const output = await renderVetReport(context, skills, { format, toFile: file !== undefined })
  if (file === undefined) context.stdout.write(output)
  else writeFileSync(resolve(context.cwd, file), output)
  return EXITS[findWorstVerdict(skills.map(({ report }) => report.verdict))]
}

async function vetSource(context: Context, request: InfoRequest): Promise<VettedSkill[]> {
  const { place, source } = request
  if (place.type === 'git') return await vetRepository(context, source, place)
  if (place.type !== 'folder') return [await vetFetched(context, request)]
  const folders = findSkillsBelow(place.path).toSorted()
  if (folders.length === 0) {
    throw new SkillsError('skill/not-found', `"${source}" has no skill`, {
      hint: 'Name a folder with a SKILL.md, or a folder of such folders',
    })
  }
  return folders.map((dir) => readVetted(dir, folders.length === 1 ? source : dir))
}

async function vetRepository(
  context: Context,
  source: string,
  place: GitPlace,
): Promise<VettedSkill[]> {
  const repository = await whileFetching(
    context,
    source,
    async () => await openGitPlace(place, context),
  )
  try {
    const vetted: VettedSkill[] = []
    for (const skill of await listRepositorySkills(repository, place)) {
      const each = parseSkillSource(skill.source, context.cwd)
      vetted.push(await vetFetched(context, { source: skill.source, place: each }, { repository }))
    }
    return vetted
  } finally {
    repository.close()
  }
}

async function vetFetched(
  context: Context,
  { source, place }: InfoRequest,
  more: Pick<FetchOptions, 'repository'> = {},
): Promise<VettedSkill> {
  const { signal, env } = context
  const { files } = await whileFetching(
    context,
    source,
    async () => await fetchSource(place, { signal, env, ...more }),
  )
  const { folder } = prepareSkill(files)
  return await withStagedFiles({ folder, files }, async (dir) => readVetted(dir, source))
}

function readVetted(dir: string, source: string): VettedSkill {
  const report = vetFolder(dir)
  return { source, report, texts: readTexts(dir, report) }
}

function readTexts(dir: string, { findings }: VetReport): Map<string, string> {
  const files = new Set(findings.map(({ file }) => file))
  return new Map(
    [...files].map((file) => [file, maskSource(file, readOptionalText(join(dir, file)))]),
  )
}

function readOptionalText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
