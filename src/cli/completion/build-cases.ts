import type { CompletedCommand, CompletionValues } from './describe-commands.ts'

/** Patterns of `case "$path|$word"` for words that enter a subcommand, with the new path. */
export function buildSubcommandCases(commands: readonly CompletedCommand[]): readonly string[] {
  return commands.flatMap(({ path, subcommands }) =>
    subcommands.map(
      ({ name }) => `'${path}|${name}') path='${path ? `${path} ${name}` : name}' ;;`,
    ),
  )
}

/** One pattern of `case "$path|$word"` that matches every option with a value. */
export function buildValueOptionPattern(commands: readonly CompletedCommand[]): string {
  const all = commands.flatMap(({ path, options }) =>
    options.flatMap(({ names, value }) => (value ? names.map((name) => `'${path}|${name}'`) : [])),
  )
  return all.join('|')
}

/** Lines of `case "$path|$option"` that offer the values of an option. */
export function buildValueCases(
  commands: readonly CompletedCommand[],
  offer: (values: CompletionValues) => string,
): readonly string[] {
  return commands.flatMap(({ path, options }) =>
    options.flatMap(({ names, value }) => {
      if (!value || value.kind === 'anything') return []
      return [`${names.map((name) => `'${path}|${name}'`).join('|')}) ${offer(value)} ;;`]
    }),
  )
}

/** Lines of `case "$path|$position"` that offer subcommands or positional arguments. */
export function buildArgumentCases(
  commands: readonly CompletedCommand[],
  offer: (values: CompletionValues) => string,
): readonly string[] {
  return commands.flatMap(({ path, subcommands, arguments: values, repeats }) => {
    if (subcommands.length > 0) {
      const candidates = subcommands.map(({ name }) => name)
      return [`'${path}|'*) ${offer({ kind: 'words', words: candidates })} ;;`]
    }
    return values.flatMap((value, at) => {
      if (value.kind === 'anything') return []
      const pattern = repeats && at === values.length - 1 ? `'${path}|'*` : `'${path}|${at}'`
      return [`${pattern}) ${offer(value)} ;;`]
    })
  })
}

/** Lines of `case "$path"` with every option's long name. */
export function buildOptionCases(
  commands: readonly CompletedCommand[],
  offer: (values: CompletionValues) => string,
): readonly string[] {
  return commands.map(({ path, options }) => {
    const candidates = options.flatMap(({ names }) => names.filter((name) => name.startsWith('--')))
    return `'${path}') ${offer({ kind: 'words', words: candidates })} ;;`
  })
}
