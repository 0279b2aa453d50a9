import { Command, type Argument, type Option } from 'commander'
import { buildCommand } from '../../src/cli/build-command.ts'
import type { CommandDefinition } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { GLOBAL_OPTIONS } from '../../src/cli/globals.ts'
import { anchor } from './anchor.ts'
import { EXIT_STATUSES } from '../../src/cli/exit-statuses.ts'
import { code, codeBlock, escapeText, renderPage, sentence, table } from './markdown.ts'

const NO_HOOKS = { onStart: async () => {}, onFailing: () => {} }

/** commands.md: every command and subcommand, read back from the commander objects. */
export async function renderCommands(): Promise<string> {
  const shown = COMMANDS.filter((entry) => !entry.hidden)
  const sections: string[] = []
  for (const entry of shown) {
    const { name } = entry
    const { command: definition } = await entry.load()
    const command = buildCommand(new Command('skills'), { name, definition }, NO_HOOKS)
    sections.push(...renderCommand(command, definition, [name]))
  }
  const index = shown.map(({ name, summary }) => [
    `[${code(`skills ${name}`)}](#${anchor(`skills ${name}`)})`,
    escapeText(summary),
  ])
  const global = GLOBAL_OPTIONS.map(({ flags, description }) => [
    code(flags),
    escapeText(description),
  ])
  return renderPage('Commands', [
    `${code('skills help <command>')} prints the same text in a terminal.`,
    table(['Command', 'Description'], index),
    '## Global options',
    'Every command accepts these options, before and after its name.',
    table(['Option', 'Description'], global),
    '## Exit status',
    'Commands exit with one of these values. `skills shell`, `skills agent run` and `skills agent exec` exit with the status of the command that they ran.',
    table(
      ['Exit status', 'Meaning'],
      EXIT_STATUSES.map(({ exit, meaning }) => [code(String(exit)), meaning]),
    ),
    ...sections,
  ])
}

function renderCommand(
  command: Command,
  definition: CommandDefinition,
  path: readonly string[],
): string[] {
  const help = command.createHelp()
  const title = ['skills', ...path].join(' ')
  const options = help.visibleOptions(command).filter(isOwnOption)
  const parts = [
    `${'#'.repeat(path.length + 1)} ${title}`,
    renderDetails(definition.details ?? definition.summary),
    codeBlock(`skills ${formatUsage(command, path)}`, ''),
    renderArguments(command.registeredArguments),
    renderOptions(options),
    renderExamples(definition),
  ]
  const below = Object.entries(definition.subcommands ?? {}).flatMap(([name, sub]) => {
    const built = command.commands.find((each) => each.name() === name)
    return built ? renderCommand(built, sub, [...path, name]) : []
  })
  return [...parts.filter((part) => part !== ''), ...below]
}

function formatUsage(command: Command, path: readonly string[]): string {
  return [...path, command.usage()].join(' ')
}

/** Details may have paragraphs and lists; both survive as Markdown. */
function renderDetails(details: string): string {
  return details
    .split(/\n{2,}/)
    .map((paragraph) => renderParagraph(paragraph.split('\n')))
    .join('\n\n')
}

/** Help texts are wrapped by hand: lines that continue a sentence or an item are joined. */
function renderParagraph(lines: readonly string[]): string {
  if (lines.every((line) => line.startsWith('  '))) return codeBlock(lines.join('\n'), '')
  const blocks: string[] = []
  for (const line of lines) {
    const last = blocks.at(-1)
    const isContinued = last !== undefined && last.startsWith('- ') === line.startsWith('  ')
    if (line.startsWith('- ') || !isContinued) blocks.push(line)
    else blocks[blocks.length - 1] = `${last} ${line.trim()}`
  }
  return blocks
    .map((block, index) => {
      if (block.startsWith('- ')) return `- ${escapeText(block.slice(2))}`
      return blocks[index + 1]?.startsWith('- ') ? `${escapeText(block)}\n` : sentence(block)
    })
    .join('\n')
}

function renderArguments(definitions: readonly Argument[]): string {
  if (definitions.length === 0) return ''
  const rows = definitions.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name()
    const choices = withChoices(argument.description, argument.argChoices)
    return [code(argument.required ? `<${name}>` : `[${name}]`), choices]
  })
  return table(['Argument', 'Description'], rows)
}

function renderOptions(options: readonly Option[]): string {
  if (options.length === 0) return ''
  const hasDefault = options.some((option) => option.defaultValue !== undefined)
  const rows = options.map((option) => [
    code(option.flags),
    ...(hasDefault ? [showDefault(option.defaultValue)] : []),
    withChoices(option.description, option.argChoices),
  ])
  return table(['Option', ...(hasDefault ? ['Default'] : []), 'Description'], rows)
}

function showDefault(value: unknown): string {
  return value === undefined ? '' : code(typeof value === 'string' ? value : JSON.stringify(value))
}

function withChoices(description: string, choices: readonly string[] | undefined): string {
  const text = escapeText(description)
  return choices ? `${text}: ${choices.map(code).join(', ')}` : text
}

function isOwnOption(option: Option): boolean {
  return option.long !== '--help' && !GLOBAL_OPTIONS.some(({ flags }) => flags === option.flags)
}

function renderExamples({ examples = [] }: CommandDefinition): string {
  if (examples.length === 0) return ''
  const items = examples.map(({ command, explains }) => `${sentence(explains)}\n${indent(command)}`)
  return `**Examples**\n\n${items.map((item) => `- ${item}`).join('\n\n')}`
}

function indent(command: string): string {
  return `\n${codeBlock(command, 'sh').replace(/^/gm, '  ')}`
}
