import type { LockReport } from '../../core/skills/dependencies/authoring/lock-dependencies.ts'
import { SkillsError } from '../../errors.ts'
import { listSome } from '../../util/join-text.ts'
import { toPrintable } from '../../util/printable.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import { getTextOption, type CommandDefinition, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { describeInstallation, installDependencies } from './install.ts'
import { openDependentSkill } from './open-skill.ts'

const LOCKS_SCHEMA = 'skills.dependency-locks/v1'
const SKILL = { syntax: '<skill>', description: 'Name, name@version, or folder of a skill' }
const OPTIONS = [
  {
    flags: '--language <language>',
    description: 'Language of the packages (default: that of the skill)',
    choices: ['python', 'node'],
  },
  { flags: '--from <folder>', description: 'Take wheels of this folder, without network' },
] satisfies CommandDefinition['options']

const FILES = [
  '- Node: ranges in package.json, locked in package-lock.json.',
  '- Python: ranges in requirements.in, locked in requirements.lock.',
  '- No script of a package is executed, and no package is built.',
]

export const lockCommand: CommandDefinition = {
  summary: 'Lock the declared packages of a skill',
  details: [
    'Lock the declared packages of a skill. Locked versions that fit are kept.',
    '',
    ...FILES,
  ].join('\n'),
  arguments: [SKILL],
  options: OPTIONS,
  examples: [
    {
      command: 'skills deps lock demo.table',
      explains: 'Write the lock file after a change of ranges',
      notRun: 'it needs a package index',
    },
  ],
  run: async (context, call) => await runLock(context, call, {}),
}

export const addCommand: CommandDefinition = {
  summary: 'Add packages to a skill, lock and install them',
  details: [
    'Add packages to a skill, lock and install them. skill.toml keeps its comments.',
    '',
    ...FILES,
  ].join('\n'),
  arguments: [SKILL, { syntax: '<package...>', description: 'Package: name or name@range' }],
  options: OPTIONS,
  examples: [
    {
      command: 'skills deps add demo.table semver@^7.6.0',
      explains: 'Declare, lock and install a package of Node',
      notRun: 'it needs a registry',
    },
  ],
  run: async (context, call) => await runLock(context, call, { add: call.args.slice(1) }),
}

export const updateCommand: CommandDefinition = {
  summary: 'Update locked packages of a skill within their ranges',
  details: [
    'Update locked packages of a skill to the newest versions in their ranges.',
    '',
    ...FILES,
  ].join('\n'),
  arguments: [SKILL, { syntax: '[package...]', description: 'Packages to update (default: all)' }],
  options: OPTIONS,
  examples: [
    {
      command: 'skills deps update demo.table',
      explains: 'Update all packages',
      notRun: 'it needs a package index',
    },
  ],
  run: async (context, call) => {
    const names = call.args.slice(1)
    return await runLock(context, call, { update: names.length === 0 ? 'all' : names })
  },
}

// eslint-disable-next-line complexity -- one report for each form of the command
async function runLock(
  context: Context,
  call: CommandLine,
  { add = [], update = [] }: { add?: readonly string[]; update?: readonly string[] | 'all' },
): Promise<number> {
  const { runtime, skill } = await openDependentSkill(context, call.args[0] ?? '')
  const { lockDependencies } =
    await import('../../core/skills/dependencies/authoring/lock-dependencies.ts')
  const { cwd, env, signal } = context
  const language = getTextOption(call, 'language') as 'python' | 'node' | undefined
  const from = getTextOption(call, 'from')
  const request = { language, add, update, from, call: { cwd, env, signal } }
  const locks = await lockDependencies(runtime, skill, request)
  if (update !== 'all') refuseUnknown(update, locks)
  if (!context.global.json) for (const lock of locks) context.print(describeLock(lock))
  if (add.length > 0) {
    const reports = await installDependencies(context, call.args[0] ?? '', { check: false, from })
    if (context.global.json) context.document(LOCKS_SCHEMA, { locks, installed: reports })
    else for (const report of reports) context.print(describeInstallation(report))
  } else if (context.global.json) context.document(LOCKS_SCHEMA, { locks })
  else if (locks.some(({ changed }) => changed)) {
    const words = [call.args[0] ?? '', ...(from === undefined ? [] : ['--from', from])]
    const typed = words.map((word) => quoteShellWord(toPrintable(word))).join(' ')
    context.note(`Type "skills deps ${typed}" to install them`)
  }
  for (const note of locks.flatMap(({ notes }) => notes)) context.note(toPrintable(note))
  return 0
}

/** A misspelt name would update nothing. */
function refuseUnknown(names: readonly string[], locks: readonly LockReport[]): void {
  const known = locks.flatMap(({ packages }) => packages.map(({ name }) => name))
  const normalize = (name: string) => name.toLowerCase().replaceAll(/[._-]+/g, '-')
  const found = new Set(known.map((name) => normalize(name)))
  const unknown = names.find((name) => !found.has(normalize(name)))
  if (unknown === undefined) return
  throw new SkillsError('usage/invalid', `The skill has no package "${toPrintable(unknown)}"`, {
    hint: known.length === 0 ? 'It has no packages' : `It has ${listSome(known)}`,
  })
}

/** The indentation is kept. */
function formatLine(line: string): string {
  return line.startsWith('  ') ? `  ${toPrintable(line)}` : line
}

function describeLock({ lock, changed, packages, added, removed }: LockReport): string {
  const count = `${packages.length} package${packages.length === 1 ? '' : 's'}`
  const lines = [
    `${toPrintable(lock)}: ${changed ? 'written' : 'unchanged'}, ${count}`,
    ...removed.map(({ name, version }) => `  - ${name} ${version}`),
    ...added.map(({ name, version }) => `  + ${name} ${version}`),
  ]
  return lines.map(formatLine).join('\n')
}
