import { parseArgs } from 'node:util'

/** Reads the flags of a script; anything else on its command line ends it with a sentence. */
export function readFlags<Name extends string>(...names: Name[]): ReadonlySet<Name> {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'boolean' as const }]))
  try {
    const { values } = parseArgs({ options })
    return new Set(names.filter((name) => values[name] === true))
  } catch {
    const rejected = process.argv.slice(2).join(' ')
    const known = names.map((name) => `--${name}`).join(' or ')
    process.stderr.write(`"${rejected}" is not valid here: type ${known} after "--", or nothing\n`)
    // oxlint-disable-next-line unicorn/no-process-exit -- a script ends before it does any work
    process.exit(2)
  }
}
