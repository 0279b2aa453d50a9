import { removeGuide } from '../../core/skills/repository/remove-guide.ts'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { splitReference } from '../../core/skills/reference.ts'
import type { Encoding } from '../../core/tokens/count-tokens.ts'
import type { SkillTokens, TokenReport } from '../../core/tokens/token-report.ts'
import { toPrintable } from '../../util/printable.ts'
import type { CommandHandle } from '../access/command-handle.ts'
import { listRemoteSkills } from '../access/list-remote-skills.ts'
import { openRemoteHandle } from '../access/open-remote-handle.ts'
import { REMOTE_OPTIONS } from '../access/remote-options.ts'
import { getTextOption, type CommandLine, type CommandDefinition } from '../command.ts'
import { toSnakeKeys } from '../../util/snake-keys.ts'
import type { Context } from '../context.ts'
import { describeRepositoryProblem } from '../ui/describe-problem.ts'

export const command: CommandDefinition = {
  summary: 'Count the tokens of skills, by layer',
  details: [
    'Count the tokens of skills, by layer.',
    '',
    '- Layers: line in the overview, body, documents.',
    '- The summary compares loading on demand with a prompt that contains',
    '  everything.',
    '- Counts use an OpenAI vocabulary and are approximate for other models.',
    '- With --url, a server counts its skills. SKILLS_URL is not used.',
  ].join('\n'),
  arguments: [
    {
      syntax: '[roots...]',
      description: 'Folders or names of skills (default: those of the configuration)',
    },
  ],
  options: [
    {
      flags: '--encoding <encoding>',
      description: 'Select the vocabulary',
      choices: ['o200k', 'cl100k'],
      default: 'o200k',
    },
    {
      flags: '--chart <when>',
      description: 'Draw bars: on terminals (auto), always, or never',
      choices: ['auto', 'always', 'never'],
      default: 'auto',
    },
    ...REMOTE_OPTIONS,
  ],
  examples: [
    { command: 'skills tokens', explains: 'Count every skill' },
    {
      command: 'skills tokens skills --chart always',
      explains: 'Count the skills of one folder, with bars',
    },
    { command: 'skills tokens --json', explains: 'Print every document as JSON' },
    {
      command: 'skills tokens demo.greet --url http://127.0.0.1:8080',
      explains: 'Count a skill of a server',
      notRun: 'it needs a server',
    },
  ],
  async run(context, call) {
    const encoding = getTextOption(call, 'encoding') === 'cl100k' ? 'cl100k' : 'o200k'
    const remote = await openRemoteHandle(context, call)
    const { report, problems, lines } = remote
      ? await countRemotely(remote, call.args, encoding)
      : await countLocally(context, call, encoding)
    if (context.global.json) {
      const tokenizer = { encoding: `${encoding}_base`, approximate_for_other_vendors: true }
      const { ways, ...counts } = report
      const document = { tokenizer, ...counts, ways: toSnakeKeys(ways), problems }
      context.document('skills.tokens/v1', document)
      return 0
    }
    for (const line of lines) context.note(line)
    if (report.skills.length > 0) await showTokens(context, call, { report, encoding })
    else context.note(explainNoTokens(problems.length))
    return 0
  },
}

interface CountedSkills {
  report: TokenReport
  problems: readonly object[]
  /** The problems, as lines. */
  lines: readonly string[]
}

async function countLocally(
  context: Context,
  call: CommandLine,
  encoding: Encoding,
): Promise<CountedSkills> {
  const { repository, entries } = await selectSkills(context, call)
  const problems = await repository.problems()
  const { openTokenizer } = await import('../../core/tokens/count-tokens.ts')
  const { reportTokens } = await import('../../core/tokens/token-report.ts')
  const report = await reportTokens(repository, entries, await openTokenizer(encoding))
  const lines = problems.map((problem) => describeRepositoryProblem(problem, context))
  return { report, problems, lines }
}

/** Counts skills of a remote runtime, by name; the newest version of all of them without names. */
async function countRemotely(
  remote: CommandHandle,
  words: readonly string[],
  encoding: Encoding,
): Promise<CountedSkills> {
  const { buildTokenReport } = await import('../../core/tokens/token-report.ts')
  const all = words.length > 0 ? undefined : await listRemoteSkills(remote)
  const newest = all?.references.map((reference) => splitReference(reference)[0])
  const skills: SkillTokens[] = []
  const skipped: TokenReport['skipped'][number][] = []
  for (const reference of newest ? new Set(newest) : words) {
    const [name, version] = splitReference(reference)
    const params = { name, ...(version !== undefined && { version }), encoding }
    const counted = await remote.call('count_skill_tokens', params)
    const { overview, body, docs, documents, total, skipped: missing } = counted
    skills.push({ name, version: counted.version, overview, body, docs, documents, total })
    skipped.push(...missing.map((each) => ({ ...each, skill: name })))
  }
  const problems = all?.problems ?? []
  const lines = problems.map(
    ({ skill, message }) => `${toPrintable(skill)}: ${toPrintable(message)}`,
  )
  return { report: buildTokenReport(skills, skipped), problems, lines }
}

async function showTokens(
  context: Context,
  call: CommandLine,
  { report, encoding }: { report: TokenReport; encoding: string },
): Promise<void> {
  const { formatTokenTable, formatTokenChart, formatDeliveryCosts } =
    await import('../ui/token-view.ts')
  const when = getTextOption(call, 'chart') ?? 'auto'
  const isTerminal = context.stdout.isTTY === true
  const { style, columns } = context
  const page = { style, columns: isTerminal ? columns : Infinity }
  context.print(formatTokenTable(report, page))
  context.print(`\n${formatDeliveryCosts(report, page)}`)
  if (when === 'always' || (when === 'auto' && isTerminal)) {
    context.print(`\n${formatTokenChart(report, { style, columns })}`)
  }
  for (const { skill, path, reason } of report.skipped) {
    context.note(
      `Not counted: ${toPrintable(path)} of ${toPrintable(skill)}: ${toPrintable(reason)}`,
    )
  }
  context.note(`Counted with ${encoding}_base, an approximation for models of other vendors`)
}

function explainNoTokens(problems: number): string {
  if (problems > 0) return 'No skill here is readable; type "skills lint" for the reasons'
  return 'No skills found here; type "skills new" to create one, or pass a folder'
}

async function selectSkills(context: Context, call: CommandLine) {
  const { openRuntime, openConfig } = await import('../runtime.ts')
  if (call.args.length === 0) {
    const { repository } = await openRuntime(context)
    return { repository, entries: removeGuide(await repository.list()) }
  }
  const { openRepository } = await import('../../core/skills/repository/open-repository.ts')
  const { BUILTIN_SKILLS } = await import('../../core/open-services.ts')
  const { config } = await openConfig(context)
  const { findSkillFolder } = await import('../find-skill.ts')
  const roots: string[] = []
  for (const word of call.args) {
    const path = resolve(context.cwd, word)
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    roots.push(isFolder ? path : await findSkillFolder(context, word))
  }
  const cacheDir = config.directories.cache
  const repository = openRepository({ roots, builtin: BUILTIN_SKILLS, cacheDir })
  const entries = (await repository.list()).filter((entry) => roots.includes(entry.root))
  return { repository, entries }
}
