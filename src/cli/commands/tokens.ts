import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { TokenReport } from '../../core/tokens/token-report.ts'
import { SkillsError } from '../../errors.ts'
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
  ].join('\n'),
  arguments: [
    {
      syntax: '[roots...]',
      description: 'Folders of skills (default: those of the configuration)',
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
  ],
  examples: [
    { command: 'skills tokens', explains: 'Count every skill' },
    {
      command: 'skills tokens skills --chart always',
      explains: 'Count the skills of one folder, with bars',
    },
    { command: 'skills tokens --json', explains: 'Print every document as JSON' },
  ],
  async run(context, call) {
    const { repository, entries } = await selectSkills(context, call)
    const problems = await repository.problems()
    const { openTokenizer } = await import('../../core/tokens/count-tokens.ts')
    const { reportTokens } = await import('../../core/tokens/token-report.ts')
    const encoding = getTextOption(call, 'encoding') === 'cl100k' ? 'cl100k' : 'o200k'
    const report = await reportTokens(repository, entries, await openTokenizer(encoding))
    if (context.global.json) {
      const tokenizer = { encoding: `${encoding}_base`, approximate_for_other_vendors: true }
      const { ways, ...counts } = report
      const document = { tokenizer, ...counts, ways: toSnakeKeys(ways), problems }
      context.document('skills.tokens/v1', document)
      return 0
    }
    for (const problem of problems) context.note(describeRepositoryProblem(problem, context))
    if (report.skills.length > 0) await showTokens(context, call, { report, encoding })
    else context.note(explainNoTokens(problems.length))
    return 0
  },
}

async function showTokens(
  context: Context,
  call: CommandLine,
  { report, encoding }: { report: TokenReport; encoding: string },
): Promise<void> {
  const { formatTokenTable, formatTokenChart, formatDeliveryCosts } =
    await import('../ui/token-view.ts')
  const { toPrintable } = await import('../../util/printable.ts')
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
    return { repository, entries: await repository.list() }
  }
  const { openRepository } = await import('../../core/skills/repository/open-repository.ts')
  const { BUILTIN_SKILLS } = await import('../../core/open-services.ts')
  const { config } = await openConfig(context)
  const roots = call.args.map((word) => {
    const path = resolve(context.cwd, word)
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path
    throw new SkillsError('file/not-found', `There is no folder "${word}"`, {
      hint: 'Pass a folder of skills, or none to count those of "skills list"',
    })
  })
  const cacheDir = config.directories.cache
  const repository = openRepository({ roots, builtin: BUILTIN_SKILLS, cacheDir })
  const entries = (await repository.list()).filter((entry) => roots.includes(entry.root))
  return { repository, entries }
}
