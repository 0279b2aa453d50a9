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
      const words = subcommands.map(({ name }) => name)
      const descriptions = subcommands.map(({ summary }) => summary)
      const offered = [{ kind: 'words', words, descriptions } as const, ...values]
      return [`'${path}|0') ${offered.map(offer).join('; ')} ;;`]
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
    const long = options.flatMap(({ names, description }) =>
      names.flatMap((name) => (name.startsWith('--') ? [{ name, description }] : [])),
    )
    const words = long.map(({ name }) => name)
    const descriptions = long.map(({ description }) => description)
    return `'${path}') ${offer({ kind: 'words', words, descriptions })} ;;`
  })
}
