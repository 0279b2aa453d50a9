import { toPrintable } from '../../util/printable.ts'
import {
  getFlagOption,
  getListOption,
  getTextOption,
  type CommandLine,
  type CommandDefinition,
} from '../command.ts'
import type { SkillEntry } from '../../core/skills/repository/repository.ts'
import { openHandle } from '../access/open-handle.ts'
import { REMOTE_OPTIONS } from '../access/remote-options.ts'
import type { Context } from '../context.ts'
import { describeRepositoryProblem } from '../ui/describe-problem.ts'
import { formatTable } from '../ui/table.ts'

export const command: CommandDefinition = {
  summary: 'List the skills that are found here',
  details:
    'List the skills of all roots, every version of each, ordered by namespace, name and version.',
  options: [
    { flags: '--namespace <name>', description: 'Only this namespace and those below it' },
    {
      flags: '--kind <kind>',
      description: 'Only skills of this kind',
      choices: ['action', 'instruction'],
    },
    {
      flags: '--tag <tag>',
      description: 'Only skills with this tag (repeatable)',
      isRepeatable: true,
    },
    { flags: '--latest', description: 'Only the newest version of each skill' },
    { flags: '--long', description: 'Also show kind, tags and folder' },
    ...REMOTE_OPTIONS,
  ],
  examples: [
    { command: 'skills list', explains: 'Every skill that is found from here' },
    { command: 'skills list --kind action --long', explains: 'What can be executed, with folders' },
    {
      command: 'skills list --namespace demo --json',
      explains: 'The skills of one namespace, for a program',
    },
    {
      command: 'skills list --url http://127.0.0.1:8080',
      explains: 'The skills of a remote runtime',
      notRun: 'it needs a runtime that serves',
    },
  ],
  async run(context, call) {
    const { skills: source } = await openHandle(context, call)
    const all = await source.list()
    const problems = await source.problems()
    const skills = filterSkills(all, call)
    if (context.global.json) {
      context.document('skills.list/v1', { skills: skills.map(toSkillRecord), problems })
      return 0
    }
    if (skills.length > 0)
      context.print(renderSkills(skills, { context, long: getFlagOption(call, 'long') }))
    for (const problem of problems) context.note(describeRepositoryProblem(problem, context))
    if (skills.length === 0) context.note(explainEmptyList(all.length))
    return 0
  },
}

function filterSkills(all: readonly SkillEntry[], call: CommandLine): readonly SkillEntry[] {
  const namespace = getTextOption(call, 'namespace')
  const kind = getTextOption(call, 'kind')
  const tags = getListOption(call, 'tag')
  const seen = new Set<string>()
  return all.filter((skill) => {
    if (namespace && !`${skill.namespace}.`.startsWith(`${namespace}.`)) return false
    if (kind && skill.kind !== kind) return false
    if (!tags.every((tag) => skill.tags.includes(tag))) return false
    if (getFlagOption(call, 'latest') && seen.has(skill.name)) return false
    seen.add(skill.name)
    return true
  })
}

function toSkillRecord(skill: SkillEntry): object {
  const { name, version, description, namespace, kind, tags, shortDescription, inputs } = skill
  const dir = skill.dir || undefined
  return { name, version, description, namespace, kind, tags, shortDescription, inputs, dir }
}

function renderSkills(
  skills: readonly SkillEntry[],
  { context, long }: { context: Context; long: boolean },
): string {
  const { style } = context
  const isTerminal = context.stdout.isTTY === true
  const rows = skills.map((skill) => {
    const head = [toPrintable(skill.name), toPrintable(skill.version)]
    const text = toPrintable(skill.shortDescription ?? skill.description)
    if (!long) return [...head, text]
    return [
      ...head,
      skill.kind,
      toPrintable(skill.tags.join(',')) || '-',
      toPrintable(skill.dir) || '-',
      text,
    ]
  })
  const paint = long
    ? [style.cyan, style.dim, undefined, style.dim, style.dim]
    : [style.cyan, style.dim]
  // In a pipe, one line per skill, for other programs to count and cut.
  return formatTable(rows, { columns: isTerminal ? context.columns : Infinity, paint })
}

function explainEmptyList(found: number): string {
  if (found > 0) return 'No skill matches these filters; type "skills list" to see all of them'
  return 'No skills found here; type "skills new" to write one, or name a folder with --root'
}
