import { toPrintable } from '../../util/printable.ts'
import {
  getFlagOption,
  getListOption,
  getTextOption,
  type CommandLine,
  type CommandDefinition,
} from '../command.ts'
import {
  describeMissing,
  type MissingRequirement,
} from '../../core/skills/requirements/find-missing.ts'
import { SkillsError } from '../../errors.ts'
import { removeGuide } from '../../core/skills/repository/remove-guide.ts'
import type { SkillEntry } from '../../core/skills/repository/repository.ts'
import type { SkillPort } from '../../runtime-handle/handle.ts'
import { openHandle } from '../access/open-handle.ts'
import { REMOTE_OPTIONS } from '../access/remote-options.ts'
import type { InstalledSignature } from '../signing/summarize-installed.ts'
import type { Context } from '../context.ts'
import { describeRepositoryProblem } from '../ui/describe-problem.ts'
import { formatTable } from '../ui/table.ts'

export const command: CommandDefinition = {
  summary: 'List the skills found from this folder',
  details: [
    'List the skills found from this folder.',
    '',
    'The list contains every version in every root, ordered by namespace, name',
    'and version.',
  ].join('\n'),
  options: [
    { flags: '--namespace <name>', description: 'Show only this namespace and those below it' },
    {
      flags: '--kind <kind>',
      description: 'Show only skills of this kind',
      choices: ['action', 'instruction'],
    },
    {
      flags: '--tag <tag>',
      description: 'Show only skills with this tag (repeatable)',
      isRepeatable: true,
    },
    { flags: '--latest', description: 'Show only the newest version of each skill' },
    { flags: '-g, --global', description: 'Show only the skills of your own ~/.agents/skills' },
    { flags: '--all', description: 'Also list the guide to the tools of the protocol' },
    { flags: '--long', description: 'Also show kind, tags, folder and signature' },
    ...REMOTE_OPTIONS,
  ],
  examples: [
    { command: 'skills list', explains: 'List every skill' },
    {
      command: 'skills list --kind action --long',
      explains: 'List executable skills with their folders',
    },
    {
      command: 'skills list --namespace demo --json',
      explains: 'Print the skills of one namespace as JSON',
    },
    {
      command: 'skills list --url http://127.0.0.1:8080',
      explains: 'List the skills of a remote runtime',
      notRun: 'it needs a running server',
    },
  ],
  async run(context, call) {
    const source = getFlagOption(call, 'global')
      ? await openOwnSkills(context, call)
      : (await openHandle(context, call)).skills
    const entries = await source.list()
    const all = getFlagOption(call, 'all') ? entries : removeGuide(entries)
    const problems = await source.problems()
    const skills = filterSkills(await completeKinds(context, call, { source, all }), call)
    const missing = await findMissing(context, skills)
    const signatures = await readInstalledSignatures(context, call, skills)
    if (context.global.json) {
      const records = skills.map((skill) => ({
        ...toSkillRecord(skill),
        missing: missing.get(skill),
        signature: signatures.get(skill),
      }))
      context.document('skills.list/v1', { skills: records, problems })
      return 0
    }
    if (skills.length > 0)
      context.print(
        renderSkills(skills, { context, long: getFlagOption(call, 'long'), signatures }),
      )
    for (const [{ name }, list] of missing) {
      if (list.length === 0) continue
      context.note(toPrintable(`${name} cannot run here: ${list.map(describeMissing).join(', ')}`))
    }
    for (const problem of problems) context.note(describeRepositoryProblem(problem, context))
    if (skills.length === 0) context.note(explainEmptyList(all.length))
    return 0
  },
}

/** The short list shows no kinds, so it reads no scripts. */
// eslint-disable-next-line max-params -- the command, and the skills with their source
async function completeKinds(
  context: Context,
  call: CommandLine,
  { source, all }: { source: Pick<SkillPort, 'manifest'>; all: readonly SkillEntry[] },
): Promise<readonly SkillEntry[]> {
  const isShown =
    context.global.json || getFlagOption(call, 'long') || getTextOption(call, 'kind') !== undefined
  if (!isShown) return all
  const { readPlainKinds } = await import('../../core/adopting/read-plain-kinds.ts')
  return await readPlainKinds(source, all)
}

/** Skills of the user, also those that a skill of the project hides. */
async function openOwnSkills(
  context: Context,
  call: CommandLine,
): Promise<Pick<SkillPort, 'list' | 'problems' | 'manifest'>> {
  if (getTextOption(call, 'url') !== undefined) {
    throw new SkillsError('usage/invalid', '--global and --url exclude each other', {
      hint: 'Omit one: --global lists the skills of this machine',
    })
  }
  const { openPlaces } = await import('../install/open-places.ts')
  const { openRepository } = await import('../../core/skills/repository/open-repository.ts')
  const { BUILTIN_SKILLS } = await import('../../core/open-services.ts')
  const { places } = await openPlaces(context, { args: [], options: { global: true } })
  return openRepository({ roots: [places.skills], builtin: BUILTIN_SKILLS })
}

/** Missing requirements of the skills that declare any. */
async function findMissing(
  context: Context,
  skills: readonly SkillEntry[],
): Promise<ReadonlyMap<SkillEntry, readonly MissingRequirement[]>> {
  const declaring = skills.filter(({ requires }) => requires)
  if (declaring.length === 0) return new Map()
  const { openRuntime } = await import('../runtime.ts')
  const runtime = await openRuntime(context)
  const { findUnmet } = await import('../../core/runs/checks/find-unmet.ts')
  return await findUnmet(runtime, declaring, context)
}

/** Signatures of installed skills, which the short list does not show. */
async function readInstalledSignatures(
  context: Context,
  call: CommandLine,
  skills: readonly SkillEntry[],
): Promise<ReadonlyMap<SkillEntry, InstalledSignature>> {
  const isShown = context.global.json || getFlagOption(call, 'long')
  if (!isShown || getTextOption(call, 'url') !== undefined) return new Map()
  const { openInstalled } = await import('../signing/find-installed.ts')
  const findInstalled = await openInstalled(context)
  const found = new Map<SkillEntry, InstalledSignature>()
  for (const entry of skills) {
    try {
      const installed = findInstalled(entry.dir)
      if (!installed) continue
      const { summarizeInstalled } = await import('../signing/summarize-installed.ts')
      found.set(entry, await summarizeInstalled(context, call, installed))
    } catch (thrown) {
      // A damaged lock, or file of signatures, is no reason to list nothing.
      if (!(thrown instanceof SkillsError)) throw thrown
      context.noteOnce(toPrintable(thrown.message))
    }
  }
  return found
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
  return {
    name,
    version,
    description,
    namespace,
    kind,
    tags,
    short_description: shortDescription,
    inputs,
    dir,
  }
}

interface ShownList {
  context: Context
  long: boolean
  signatures: ReadonlyMap<SkillEntry, InstalledSignature>
}

function renderSkills(
  skills: readonly SkillEntry[],
  { context, long, signatures }: ShownList,
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
      toPrintable(signatures.get(skill)?.text ?? '-'),
      text,
    ]
  })
  const paint = long
    ? [style.cyan, style.dim, undefined, style.dim, style.dim, style.dim]
    : [style.cyan, style.dim]
  // In a pipe, one line per skill, for other programs to count and cut.
  return formatTable(rows, { columns: isTerminal ? context.columns : Infinity, paint })
}

function explainEmptyList(found: number): string {
  if (found > 0) return 'No skill matches these filters; type "skills list" to see all of them'
  return 'No skills found here; type "skills new" to create one, or add a folder with --root'
}
