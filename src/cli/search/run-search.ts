import { removeGuide } from '../../core/skills/repository/remove-guide.ts'
import { resolve } from 'node:path'
import { hasScheme } from '../../core/config/roots/root-source.ts'
import { createRuntime } from '../../core/runtime.ts'
import { askIndexes, type IndexAnswer } from '../../core/searching/ask-indexes.ts'
import { rankSkills, splitWords } from '../../core/searching/rank-skills.ts'
import { listNewestVersions } from '../../core/skills/repository/select-version.ts'
import type { LoadedConfig } from '../../core/config/load-config.ts'
import { vetFolder } from '../../core/vetting/index.ts'
import { SkillsError } from '../../errors.ts'
import { getFlagOption, getListOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfigWithProblems } from '../runtime.ts'
import type { FoundSkill } from './found-skill.ts'
import { printSearch } from './print-search.ts'

const MAX_RESULTS = 50

/** `skills search`: asks the configured indexes, and looks in the skills that are here. */
export async function runSearch(context: Context, call: CommandLine): Promise<number> {
  const query = call.args.join(' ')
  if (splitWords(query).length === 0) {
    throw new SkillsError('usage/invalid', 'The words have no letter and no digit', {
      hint: 'Name a task, such as: skills search pdf forms',
    })
  }
  const { problems, ...loaded } = await openConfigWithProblems(context)
  for (const problem of problems) context.note(`${problem.message} (it is not searched)`)
  const named = getListOption(call, 'index').map((text) =>
    hasScheme(text) ? text : resolve(context.cwd, text),
  )
  const indexes = [...new Set(named.length > 0 ? named : loaded.config.indexes)]
  const answers = await askIndexes(indexes, { signal: context.signal })
  const local = getFlagOption(call, 'remote') ? [] : await listLocal(loaded)
  const found = rankSkills([...local, ...answers.flatMap(listOfferedSkills)], query)
  const failed = answers.filter((answer) => 'problem' in answer)
  const skills = found.slice(0, MAX_RESULTS).map(addVerdict)
  const result = { query, skills, total: found.length, answers }
  printSearch(context, result)
  const [first] = failed
  // No index answered: the absence of a result means nothing.
  if (found.length === 0 && first && failed.length === answers.length) throw first.problem
  return found.length > 0 ? 0 : 3
}

/** Reads a skill that is here; those of indexes are vetted when they are installed. */
function addVerdict(skill: FoundSkill): FoundSkill {
  return skill.dir === undefined ? skill : { ...skill, vet: vetFolder(skill.dir).verdict }
}

async function listLocal({ config }: LoadedConfig): Promise<FoundSkill[]> {
  const { repository } = createRuntime({ config, noticesEdits: false })
  const skills = listNewestVersions(removeGuide(await repository.list()))
  return skills.map(({ name, version, description, tags, root, dir }) => ({
    name,
    version,
    description,
    tags,
    origin: config.remoteRoots.find(({ path }) => path === root)?.source ?? 'installed',
    source: undefined,
    dir,
  }))
}

function listOfferedSkills(answer: IndexAnswer): FoundSkill[] {
  if ('problem' in answer) return []
  const { index, content } = answer
  return content.skills.map((entry) => ({
    name: entry.name,
    version: entry.version,
    description: entry.description,
    tags: entry.tags,
    origin: index,
    source: content.formatSource(entry),
  }))
}
