import type { CompletedCommand, Values } from './words.ts'

/** Patterns of `case "$path|$word"` for words that enter a subcommand, with the new path. */
export function subcommandCases(commands: readonly CompletedCommand[]): readonly string[] {
  return commands.flatMap(({ path, subcommands }) =>
    subcommands.map(
      ({ name }) => `'${path}|${name}') path='${path ? `${path} ${name}` : name}' ;;`,
    ),
  )
}

/** One pattern of `case "$path|$word"` that fits every option with a value. */
export function valueOptionPattern(commands: readonly CompletedCommand[]): string {
  const all = commands.flatMap(({ path, options }) =>
    options.flatMap(({ names, value }) => (value ? names.map((name) => `'${path}|${name}'`) : [])),
  )
  return all.join('|')
}

/** Lines of `case "$path|$option"` that offer the values of an option. */
export function valueCases(
  commands: readonly CompletedCommand[],
  offer: (values: Values) => string,
): readonly string[] {
  return commands.flatMap(({ path, options }) =>
    options.flatMap(({ names, value }) => {
      if (!value || value.kind === 'anything') return []
      return [`${names.map((name) => `'${path}|${name}'`).join('|')}) ${offer(value)} ;;`]
    }),
  )
}

/** Lines of `case "$path|$position"` that offer subcommands or positional arguments. */
export function argumentCases(
  commands: readonly CompletedCommand[],
  offer: (values: Values) => string,
): readonly string[] {
  return commands.flatMap(({ path, subcommands, arguments: values, repeats }) => {
    if (subcommands.length > 0) {
      const words = subcommands.map(({ name }) => name)
      return [`'${path}|'*) ${offer({ kind: 'words', words })} ;;`]
    }
    return values.flatMap((value, at) => {
      if (value.kind === 'anything') return []
      const pattern = repeats && at === values.length - 1 ? `'${path}|'*` : `'${path}|${at}'`
      return [`${pattern}) ${offer(value)} ;;`]
    })
  })
}

/** Lines of `case "$path"` with every option's long name. */
export function optionCases(
  commands: readonly CompletedCommand[],
  offer: (values: Values) => string,
): readonly string[] {
  return commands.map(({ path, options }) => {
    const words = options.flatMap(({ names }) => names.filter((name) => name.startsWith('--')))
    return `'${path}') ${offer({ kind: 'words', words })} ;;`
  })
}
