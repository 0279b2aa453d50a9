import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { findSkillsBelow } from '../../core/lint/targets.ts'
import { prepareSkill } from '../../core/installing/prepare-skill.ts'
import { fetchSource } from '../../core/sources/fetch-source.ts'
import { listRepositorySkills } from '../../core/sources/git/list-skills.ts'
import { openGitPlace } from '../../core/sources/git/fetch-git.ts'
import { parseSkillSource } from '../../core/sources/skill-source.ts'
import type { GitPlace } from '../../core/sources/source-place.ts'
import { findWorstVerdict, type VetVerdict } from '../../core/vetting/index.ts'
import { whileFetching } from '../access/while-fetching.ts'
import { getFlagOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import type { InfoRequest } from '../info/read-info.ts'
import { findInfoPlace } from '../info/run-info.ts'
import { withStagedFiles } from '../info/staged-files.ts'
import { renderVetReport } from './render-vet.ts'
import type { ModelReader } from './ask-model.ts'
import type { VettedSkill } from './vetted-skill.ts'
import { vetStaged } from './vet-staged.ts'

const EXITS: Readonly<Record<VetVerdict, number>> = {
  'nothing found': 0,
  suspicious: 1,
  dangerous: 5,
}

/** `skills vet`. */
export async function runVet(context: Context, call: CommandLine): Promise<number> {
  const [text] = call.args
  const trace = getTextOption(call, 'replay')
  if (trace !== undefined) return await showTrace(context, call, trace)
  if (text === undefined) throw missingSourceError()
  checkRunOptions(call)
  const request = await findInfoPlace(context, text)
  const model = await openModel(context, call, request)
  const skills = await vetSource(context, call, { ...request, model })
  const file = getTextOption(call, 'outputFile')
  const format = context.global.json ? 'json' : (getTextOption(call, 'format') ?? 'pretty')
  const output = await renderVetReport(context, skills, { format, toFile: file !== undefined })
  if (file === undefined) context.stdout.write(output)
  else writeFileSync(resolve(context.cwd, file), output)
  return EXITS[findWorstVerdict(skills.map(({ report }) => report.verdict))]
}

function missingSourceError(): SkillsError {
  return new SkillsError(
    'usage/invalid',
    'Missing <source>: folder, archive, address, or name of a skill',
    {
      hint: 'Type for example: skills vet ./skills/greet, or skills vet owner/repo',
    },
  )
}

async function openModel(context: Context, call: CommandLine, { place }: InfoRequest) {
  if (getTextOption(call, 'model') === undefined) {
    if (getTextOption(call, 'maxTokens') === undefined) return undefined
    throw new SkillsError('usage/invalid', '--max-tokens needs --model', {
      hint: 'Add --model <provider>/<model>, or omit --max-tokens',
    })
  }
  const { openModelReader } = await import('./ask-model.ts')
  return await openModelReader(context, call, place.type === 'folder' ? place.path : undefined)
}

/** Options that are about trials. */
function checkRunOptions(call: CommandLine): void {
  if (getFlagOption(call, 'run')) return
  const option = ['only', 'variant', 'trace'].find((name) => call.options[name] !== undefined)
  if (option === undefined) return
  throw new SkillsError('usage/invalid', `--${option} needs --run`, {
    hint: 'Add --run, which starts the parts of the skill in sandboxes with bait',
  })
}

/** The trace of one skill would replace that of another. */
function checkTraceOption(call: CommandLine, skills: number): void {
  if (skills <= 1 || call.options['trace'] === undefined) return
  throw new SkillsError('usage/invalid', `--trace saves one skill, and the source has ${skills}`, {
    hint: 'Name the folder of one skill, or omit --trace',
  })
}

async function showTrace(context: Context, call: CommandLine, file: string): Promise<number> {
  if (call.args.length > 0 || getFlagOption(call, 'run')) {
    throw new SkillsError('usage/invalid', '--replay prints a saved trace, and runs nothing', {
      hint: 'Omit the source and --run',
    })
  }
  const { replayTrace } = await import('./replay-trace.ts')
  replayTrace(context, file)
  return 0
}

type VetRequest = InfoRequest & { model: ModelReader | undefined }

async function vetSource(
  context: Context,
  call: CommandLine,
  request: VetRequest,
): Promise<VettedSkill[]> {
  const { place, source, model } = request
  if (place.type === 'git') return await vetRepository(context, call, { source, place, model })
  if (place.type !== 'folder') return [await vetFetched(context, call, request)]
  const folders = findSkillsBelow(place.path).toSorted()
  if (folders.length === 0) {
    throw new SkillsError('skill/not-found', `"${source}" has no skill`, {
      hint: 'Name a folder with a SKILL.md, or a folder of such folders',
    })
  }
  checkTraceOption(call, folders.length)
  const vetted: VettedSkill[] = []
  for (const dir of folders) {
    const each = { dir, source: folders.length === 1 ? source : dir }
    vetted.push(
      await vetStaged(context, call, { ...each, model, isRun: getFlagOption(call, 'run') }),
    )
  }
  return vetted
}

async function vetRepository(
  context: Context,
  call: CommandLine,
  { source, place, model }: { source: string; place: GitPlace } & Pick<VetRequest, 'model'>,
): Promise<VettedSkill[]> {
  const repository = await whileFetching(
    context,
    source,
    async () => await openGitPlace(place, context),
  )
  try {
    const skills = await listRepositorySkills(repository, place)
    checkTraceOption(call, skills.length)
    const vetted: VettedSkill[] = []
    for (const skill of skills) {
      const each = parseSkillSource(skill.source, context.cwd)
      vetted.push(
        await vetFetched(context, call, { source: skill.source, place: each, repository, model }),
      )
    }
    return vetted
  } finally {
    repository.close()
  }
}

async function vetFetched(
  context: Context,
  call: CommandLine,
  { source, place, repository, model }: VetRequest,
): Promise<VettedSkill> {
  const { signal, env } = context
  const { files } = await whileFetching(
    context,
    source,
    async () => await fetchSource(place, { signal, env, repository }),
  )
  const { folder } = prepareSkill(files)
  const isRun = getFlagOption(call, 'run')
  return await withStagedFiles(
    { folder, files },
    async (dir) => await vetStaged(context, call, { dir, source, model, isRun }),
  )
}
