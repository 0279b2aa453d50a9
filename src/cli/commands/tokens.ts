import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { TokenReport } from '../../agent/tokens/token-report.ts'
import { SkillsError } from '../../errors.ts'
import { getTextOption, type CommandLine, type CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { describeRepositoryProblem } from '../ui/describe-problem.ts'

export const command: CommandDefinition = {
  summary: 'Show what skills cost in a model’s context, layer by layer',
  details:
    'Count the tokens of every skill: its line in the overview, its body, its documents; and what loading on demand saves against putting all of it into the prompt. Counted with a vocabulary of OpenAI: for models of others it is an approximation.',
  arguments: [
    {
      syntax: '[roots...]',
      description: 'Folders of skills; those of the configuration unless given',
    },
  ],
  options: [
    {
      flags: '--encoding <encoding>',
      description: 'The vocabulary',
      choices: ['o200k', 'cl100k'],
      default: 'o200k',
    },
    {
      flags: '--chart <when>',
      description: 'Draw bars: on terminals, always, or never',
      choices: ['auto', 'always', 'never'],
      default: 'auto',
    },
  ],
  examples: [
    { command: 'skills tokens', explains: 'Every skill that is found from here' },
    {
      command: 'skills tokens skills --chart always',
      explains: 'The skills of one folder, with bars',
    },
    { command: 'skills tokens --json', explains: 'Every document for a program' },
  ],
  async run(context, call) {
    const { repository, entries } = await selectSkills(context, call)
    const problems = await repository.problems()
    const { openTokenizer } = await import('../../agent/tokens/count-tokens.ts')
    const { reportTokens } = await import('../../agent/tokens/token-report.ts')
    const encoding = getTextOption(call, 'encoding') === 'cl100k' ? 'cl100k' : 'o200k'
    const report = await reportTokens(repository, entries, await openTokenizer(encoding))
    if (context.global.json) {
      const tokenizer = { encoding: `${encoding}_base`, approximateForOtherVendors: true }
      context.document('skills.tokens/v1', { tokenizer, ...report, problems })
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
  context.note(`Counted with ${encoding}_base; for models of other vendors this is approximate`)
}

function explainNoTokens(problems: number): string {
  if (problems > 0) return 'No skill here can be read; type "skills lint" to see what to mend'
  return 'No skills found here; type "skills new" to write one, or name a folder'
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
      hint: 'Name a folder of skills, or leave it out to count those that "skills list" shows',
    })
  })
  const cacheDir = config.directories.cache
  const repository = openRepository({ roots, builtin: BUILTIN_SKILLS, cacheDir })
  const entries = (await repository.list()).filter((entry) => roots.includes(entry.root))
  return { repository, entries }
}
