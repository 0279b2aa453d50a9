import { findSkillLanguage } from '../../core/skills/manifest/skill-languages.ts'
import type { Manifest } from '../../core/skills/manifest/manifest.ts'
import { SkillsError } from '../../errors.ts'
import { getFlagOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'

const MIN_PORT = 1024
const MAX_PORT = 65_535

/** How a run is debugged; `undefined` as the port is the usual one. */
export type DebugMode = { kind: 'repl' | 'debug' } | { kind: 'inspect'; port: number | undefined }

/** Reads --pdb and --inspect. */
export function readDebugOptions(context: Context, call: CommandLine): DebugMode | undefined {
  const { inspect } = call.options
  const isPdb = getFlagOption(call, 'pdb')
  if (inspect === undefined && !isPdb) return undefined
  if (inspect !== undefined && isPdb) {
    throw new SkillsError('usage/invalid', 'Expected --pdb or --inspect, got both', {
      hint: 'Use --pdb for Python, --inspect for Node',
    })
  }
  const flag = isPdb ? '--pdb' : '--inspect'
  const other = call.options['watch'] === true ? '--watch' : undefined
  const conflict = isPdb && context.global.json ? '--json' : other
  if (conflict !== undefined) {
    throw new SkillsError('usage/invalid', `${flag} cannot be combined with ${conflict}`, {
      hint: `Remove ${conflict}`,
    })
  }
  if (isPdb) return { kind: 'debug' }
  return { kind: 'inspect', port: typeof inspect === 'string' ? parsePort(inspect) : undefined }
}

function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port >= MIN_PORT && port <= MAX_PORT) return port
  const expected = `Expected a port from ${MIN_PORT} to ${MAX_PORT} for --inspect`
  throw new SkillsError('usage/invalid', `${expected}, got "${text}"`, {
    hint: 'Write it as --inspect=9229, or leave it out',
  })
}

/** Checks that the language of the skill has the debugger. */
export function checkDebugLanguage(mode: DebugMode, { name, runtime }: Manifest): void {
  if (!runtime) return
  const language = findSkillLanguage(runtime.language)?.name ?? 'python'
  const isNode = language === 'node' || language === 'typescript'
  const isPython = language === 'python'
  if (mode.kind === 'repl' ? isNode || isPython : mode.kind === 'inspect' ? isNode : isPython)
    return
  const [subject, hint] = {
    repl: ['A session of statements', 'It exists for Python, Node and TypeScript'],
    debug: ['--pdb', isNode ? 'Use --inspect instead' : 'It exists for Python skills'],
    inspect: ['--inspect', isPython ? 'Use --pdb instead' : 'It exists for Node skills'],
  }[mode.kind] as [string, string]
  throw new SkillsError(
    'usage/invalid',
    `${subject} is not available for "${name}", which is written in ${language}`,
    { hint },
  )
}

/** Rejects --json for a command whose output is that of the code. */
export function rejectJson(context: Context, name: string): void {
  if (!context.global.json) return
  throw new SkillsError('usage/invalid', `${name} prints the output of the code, not JSON`, {
    hint: 'Remove --json, or use skills exec',
  })
}
