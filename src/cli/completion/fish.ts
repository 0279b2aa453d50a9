import type { CompletedCommand, CompletedOption, CompletionValues } from './describe-commands.ts'
import { buildValueOptionPattern } from './build-cases.ts'

/** Script for fish 3 and newer. */
export function buildFishScript(commands: readonly CompletedCommand[]): string {
  return [
    '# Completion of skills for fish: skills completion fish | source',
    formatPathFunction(commands),
    'for program in skills skills-protocol',
    '  complete -c $program -f',
    ...commands.flatMap((command) =>
      formatCommandLines(command).map((line) => `  complete -c $program ${line}`),
    ),
    'end',
  ].join('\n')
}

/** A fish function that tests whether the words typed so far reach a command and a position. */
function formatPathFunction(commands: readonly CompletedCommand[]): string {
  const cases = commands.flatMap(({ path, subcommands }) =>
    subcommands.map(
      ({ name }) =>
        `      case '${path}|${name}'\n        set at '${path ? `${path} ${name}` : name}'`,
    ),
  )
  return `function __skills_at
  set -l at ''
  set -l position 0
  set -g __skills_first ''
  set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip = 1
      set skip 0
      continue
    end
    switch "$at|$word"
      case ${buildValueOptionPattern(commands).replaceAll("'|'", "' '")}
        set skip 1
      case '*|-*'
${cases.join('\n')}
      case '*'
        test $position = 0; and set -g __skills_first $word
        set position (math $position + 1)
    end
  end
  test "$at" = "$argv[1]"; and begin
    test (count $argv) -lt 2; or test $position = "$argv[2]"
  end
end`
}

function formatCommandLines(command: CompletedCommand): readonly string[] {
  const { path, subcommands, options } = command
  const condition = `-n "__skills_at '${path}'"`
  return [
    ...subcommands.map(
      ({ name, summary }) => `${condition} -a ${name} -d ${quoteForFish(summary)}`,
    ),
    ...options.map((option) => `${condition} ${formatOptionLine(option)}`),
    ...command.arguments.flatMap((values, position) =>
      values.kind === 'anything'
        ? []
        : [
            `-n "__skills_at '${path}'${formatPositionTest(command, position)}" ${formatFishValues(values)}`,
          ],
    ),
  ]
}

function formatPositionTest(
  { repeats, arguments: all }: CompletedCommand,
  position: number,
): string {
  return repeats && position === all.length - 1 ? '' : ` ${position}`
}

function formatOptionLine({ names, description, value }: CompletedOption): string {
  const flags = names.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  )
  // -x stops fish from also offering files.
  const needs = value && /^(files|anything)$/.test(value.kind) ? '-r' : '-x'
  const valueArguments = value === undefined ? [] : [needs, formatFishValues(value)]
  return [...flags, `-d ${quoteForFish(description)}`, ...valueArguments].filter(Boolean).join(' ')
}

function formatFishValues(values: CompletionValues): string {
  switch (values.kind) {
    case 'words':
      return `-a ${quoteForFish(values.words.join(' '))}`
    case 'values':
      return `-a '(skills completion-values ${values.source} "$__skills_first" (commandline -ct) 2>/dev/null)'`
    case 'skills':
      return `-a '(skills skill-names 2>/dev/null; string match -q "*/*" -- (commandline -ct); and __fish_complete_directories)'`
    case 'blobs':
    case 'runs':
      return `-a '(skills ${values.kind} ls --ids 2>/dev/null)'`
    case 'folders':
      return `-a '(__fish_complete_directories)'`
    case 'files':
      return '-F'
    case 'anything':
      return ''
  }
}

function quoteForFish(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
