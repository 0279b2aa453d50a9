import { SkillsError } from '../../errors.ts'
import { toFlag, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'

type Handler = (context: Context, call: CommandLine) => Promise<number>

interface Mode {
  /** Names of the options that it takes, except its own and the global ones. */
  options: readonly string[]
  maxArguments: number
  load(): Promise<Handler>
}

/** Modes of `skills install`, by the option that selects them. */
const MODES: Readonly<Record<string, Mode>> = {
  parked: {
    options: 'yes trust global allowDowngrade allowRepublished force trustedRoot'.split(' '),
    maxArguments: 1,
    load: async () => (await import('./run-install.ts')).runInstallParked,
  },
  import: {
    options: ['yes', 'trust', 'global', 'dryRun'],
    maxArguments: 1,
    load: async () => (await import('../lock/import-lock.ts')).importLock,
  },
  export: {
    options: ['format', 'global', 'force'],
    maxArguments: 1,
    load: async () => (await import('../lock/export-lock.ts')).runExportLock,
  },
  merge: {
    options: ['global'],
    maxArguments: 0,
    load: async () => (await import('../lock/merge-lock.ts')).mergeLock,
  },
}

const GLOBAL_NAMES = new Set(['root', 'config', 'json', 'color', 'quiet', 'debug'])

/** Options that only one mode takes. */
const OWN_OPTIONS = { dryRun: 'import', format: 'export' }

/** The handler of a line; refuses options that would have no effect. */
export async function chooseMode(call: CommandLine): Promise<Handler> {
  const used = Object.keys(call.options).filter(
    (name) => call.options[name] !== undefined && !GLOBAL_NAMES.has(name),
  )
  const name = used.find((each) => Object.hasOwn(MODES, each))
  const mode = name === undefined ? undefined : MODES[name]
  if (name === undefined || mode === undefined) {
    const [own, needed] = Object.entries(OWN_OPTIONS).find(([each]) => used.includes(each)) ?? []
    if (own !== undefined) throw invalidLine(`${toFlag(own)} needs --${needed}`)
    return (await import('./run-install.ts')).runInstall
  }
  const other = used.find((each) => each !== name && !mode.options.includes(each))
  if (other !== undefined) throw invalidLine(`${toFlag(other)} has no effect with --${name}`)
  const extra = call.args[mode.maxArguments]
  if (extra !== undefined) throw invalidLine(`--${name} does not take "${extra}"`)
  return await mode.load()
}

function invalidLine(problem: string): SkillsError {
  return new SkillsError('usage/invalid', problem, {
    hint: 'Type "skills install --help" to see what it takes',
  })
}
