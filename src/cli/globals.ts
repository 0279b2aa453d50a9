import type { Command } from 'commander'
import type { OptionDefinition } from './command.ts'
import type { GlobalOptions } from './context.ts'

/** Options that every command accepts, before and after its name. */
export const GLOBAL_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '--root <dir>',
    description: 'Also search this folder for skills (repeatable)',
    isRepeatable: true,
  },
  { flags: '--config <file>', description: 'Read this configuration file' },
  { flags: '--no-config', description: 'Ignore configuration files' },
  { flags: '--json', description: 'Print one JSON document' },
  { flags: '--color', description: 'Use colours for any output' },
  { flags: '--no-color', description: 'Use no colours' },
  { flags: '-q, --quiet', description: 'Print results only' },
  { flags: '--debug', description: 'Print details of unexpected errors' },
]

/** Merges the options of a command and its parents; the innermost use wins. */
export function mergeOptions(command: Command): Record<string, unknown> {
  const merged: Record<string, unknown> = {}
  const roots: string[] = []
  const chain: Command[] = []
  for (let at: Command | null = command; at; at = at.parent) chain.unshift(at)
  for (const each of chain) {
    const options = each.opts()
    Object.assign(merged, options)
    if (Array.isArray(options['root'])) roots.push(...(options['root'] as string[]))
  }
  return roots.length > 0 ? { ...merged, root: roots } : merged
}

/** Extracts the global options. */
export function readGlobals(options: Record<string, unknown>): GlobalOptions {
  const { config, color } = options
  return {
    json: options['json'] === true,
    root: Array.isArray(options['root']) ? (options['root'] as string[]) : [],
    config: typeof config === 'string' ? config : undefined,
    noConfig: config === false,
    color: typeof color === 'boolean' ? color : undefined,
    quiet: options['quiet'] === true,
    debug: options['debug'] === true,
  }
}

/** Reads the global options needed to report an error before parsing. */
export function guessGlobals(argv: readonly string[]): GlobalOptions {
  const end = argv.indexOf('--')
  const beforeDashes = end === -1 ? argv : argv.slice(0, end)
  const has = (flag: string) => beforeDashes.includes(flag)
  return readGlobals({
    json: has('--json'),
    quiet: has('--quiet') || has('-q'),
    debug: has('--debug'),
    color: has('--no-color') ? false : has('--color') ? true : undefined,
  })
}

/** Words up to `--` that are neither options nor values of global options. */
export function listOperands(argv: readonly string[]): readonly string[] {
  return findOperands(argv).map((at) => argv[at] as string)
}

/** Places of the words of `listOperands`. */
export function findOperands(argv: readonly string[]): readonly number[] {
  const found: number[] = []
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] as string
    if (word === '--') break
    if (word === '--root' || word === '--config') at++
    else if (!word.startsWith('-')) found.push(at)
  }
  return found
}
