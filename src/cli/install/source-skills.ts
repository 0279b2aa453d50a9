import { existsSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { getFlagOption, getListOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { chooseByPrompt } from '../ui/prompts.ts'
import { formatTable } from '../ui/table.ts'
import { BUILTIN_SKILLS } from '../../core/open-services.ts'
import { toHyphenatedName } from '../../core/packing/pack-skill.ts'
import { openRepository } from '../../core/skills/repository/open-repository.ts'
import { removeGuide } from '../../core/skills/repository/remove-guide.ts'
import type { RepositorySkill } from '../../core/sources/git/list-skills.ts'
import { SkillsError } from '../../errors.ts'
import { listSome } from '../../util/join-text.ts'
import { toPrintable } from '../../util/printable.ts'
import { quoteShellWord } from '../../util/shell-word.ts'

/** The skills of a repository, and its source. */
interface SkillChoice {
  text: string
  skills: readonly RepositorySkill[]
}

const MAX_LISTED = 200
const MAX_DESCRIPTION = 120

/** Names of --skill, and those after the source. */
export function readChosenNames(call: CommandLine): readonly string[] {
  return [...call.args.slice(1), ...getListOption(call, 'skill')]
}

/** Skills that the command line names, or that the user chooses. Without a choice, there is one. */
export async function chooseSkills(
  context: Context,
  call: CommandLine,
  { text, skills }: SkillChoice,
): Promise<readonly RepositorySkill[]> {
  const names = readChosenNames(call)
  const isAll = getFlagOption(call, 'all')
  if (isAll && names.length > 0) {
    throw new SkillsError('usage/invalid', '--all and the names of skills exclude each other', {
      hint: 'Omit --all, or the names',
    })
  }
  if (names.length > 0) {
    return [...new Set(names.map((name) => findChosen(name, { text, skills })))]
  }
  const usual = skills.filter(({ isUsual }) => isUsual)
  const offered = usual.length > 0 ? usual : skills
  if (isAll || offered.length === 1) return offered
  if (!context.isInteractive) throw unchosenError(context, { text, skills: offered })
  const folders = await chooseByPrompt(context, {
    message: `Skills of ${toPrintable(text)}`,
    options: offered.map(({ name, description, source }) => ({
      value: source,
      label: toPrintable(name),
      hint: cutDescription(description),
    })),
  })
  return offered.filter(({ source }) => folders.includes(source))
}

function findChosen(wanted: string, { text, skills }: SkillChoice): RepositorySkill {
  const named = skills.find(({ name }) => name === wanted)
  if (named) return named
  const found = skills.filter(
    ({ name, folder }) => toHyphenatedName(name) === wanted || basename(folder ?? '') === wanted,
  )
  const [first, second] = found
  if (first && !second) return first
  const names = (first ? found : skills).map(({ name }) => name)
  throw new SkillsError(
    'skill/not-found',
    `Cannot install from "${toPrintable(text)}": it has ${first ? 'several skills' : 'no skill'} "${toPrintable(wanted)}"`,
    { hint: `It has ${toPrintable(listSome(names, 20))}` },
  )
}

function cutDescription(description: string): string {
  const text = toPrintable(description)
  return text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION - 1)}…` : text
}

function unchosenError(context: Context, { text, skills }: SkillChoice): SkillsError {
  const listed = skills.slice(0, MAX_LISTED)
  const rows = listed.map(({ name, description }) => [
    toPrintable(name),
    cutDescription(description),
  ])
  context.note(formatTable(rows, { columns: context.columns, paint: [context.errorStyle.cyan] }))
  const command = `skills install ${quoteShellWord(text)} --skill ${quoteShellWord(listed[0]?.name ?? '')}`
  const names = listSome(
    skills.map(({ name }) => name),
    20,
  )
  return new SkillsError(
    'skill/not-found',
    `Cannot install from "${toPrintable(text)}": it has ${skills.length} skills, expected a choice`,
    {
      hint: toPrintable(`Type "${command}", repeat --skill, or use --all. It has ${names}`),
      data: {
        skills: listed.map(({ name, description, source }) => ({
          name,
          description: cutDescription(description),
          source,
        })),
      },
    },
  )
}

/** Prints the skills of a source that has several. */
export function printSourceSkills(
  context: Context,
  { text, skills }: { text: string; skills: readonly RepositorySkill[] },
): void {
  const usual = skills.filter(({ isUsual }) => isUsual)
  const shown = usual.length > 0 ? usual : skills
  if (context.global.json) {
    const records = shown.map(({ name, description, source }) => ({ name, description, source }))
    return context.document('skills.source/v1', { source: text, skills: records })
  }
  const rows = shown.map(({ name, description }) => [name, description].map(toPrintable))
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  context.print(formatTable(rows, { columns, paint: [context.style.cyan] }))
  const first = quoteShellWord(toPrintable(shown[0]?.name ?? ''))
  context.note(
    `Type "skills install ${quoteShellWord(toPrintable(text))} --skill ${first}" to install one, or --all`,
  )
}

/** Skills below a folder that is no skill itself, such as a clone of a repository. */
export async function listLocalSkills(path: string): Promise<readonly RepositorySkill[]> {
  if (['SKILL.md', 'skill.toml'].some((name) => existsSync(join(path, name)))) return []
  const entries = await openRepository({ roots: [path], builtin: BUILTIN_SKILLS }).list()
  const newest = new Map(
    removeGuide(entries)
      .toReversed()
      .map((entry) => [entry.name, entry]),
  )
  return [...newest.values()].toReversed().map(({ name, description, dir }) => ({
    name,
    description,
    folder: relative(path, dir),
    source: dir,
    isUsual: true,
  }))
}
