import type { DependencyReport } from '../../core/skills/dependencies/manage.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import {
  getFlagOption,
  getTextOption,
  type CommandDefinition,
  type CommandLine,
} from '../command.ts'
import type { Context } from '../context.ts'
import { openDependentSkill } from './open-skill.ts'

/** The arguments and options of `skills deps` and of `skills deps install`. */
export const INSTALL_SYNTAX = {
  arguments: [{ syntax: '<skill>', description: 'Name, name@version, or folder of a skill' }],
  options: [
    {
      flags: '--check',
      description: 'Check without installing; exit with 1 if packages are missing',
    },
    { flags: '--from <folder>', description: 'Install wheels of this folder, without network' },
  ],
} satisfies Partial<CommandDefinition>

export const installDependenciesCommand: CommandDefinition = {
  summary: 'Install the packages in the lock files of a skill',
  details: [
    'Install the packages in the lock files of a skill: "skills deps <skill>".',
    '',
    '- Packages of Python are wheels, from the index of pip or from --from.',
    '- Packages of Node come from the registry of your .npmrc or of',
    '  npm_config_registry.',
    '- Digests are compared before an archive is read. No script of a package is',
    '  executed.',
  ].join('\n'),
  ...INSTALL_SYNTAX,
  examples: [
    {
      command: 'skills deps install demo.table',
      explains: 'Install the locked packages of a skill',
      notRun: 'it needs a package index',
    },
  ],
  run: runInstall,
}

export async function runInstall(context: Context, call: CommandLine): Promise<number> {
  const [check, from] = [getFlagOption(call, 'check'), getTextOption(call, 'from')]
  if (check && from !== undefined) {
    const message = '--check installs nothing and cannot be combined with --from'
    throw new SkillsError('usage/invalid', message, { hint: 'Remove one of them' })
  }
  const [name = ''] = call.args
  const reports = await installDependencies(context, name, { check, from })
  reportInstallations(context, { name, reports })
  return reports.every(({ state }) => state === 'installed') ? 0 : 1
}

/** Installs or checks the packages of the lock files of a skill. */
export async function installDependencies(
  context: Context,
  reference: string,
  { check, from }: { check: boolean; from: string | undefined },
): Promise<DependencyReport[]> {
  const { runtime, skill } = await openDependentSkill(context, reference)
  const { manageDependencies } = await import('../../core/skills/dependencies/manage.ts')
  const { cwd, env, signal } = context
  return await manageDependencies(runtime, skill, { check, from, call: { cwd, env, signal } })
}

function reportInstallations(
  context: Context,
  { name, reports }: { name: string; reports: readonly DependencyReport[] },
): void {
  if (context.global.json) {
    // The first one under its own key is older than skills with two lock files.
    context.document('skills.dependencies/v1', {
      dependencies: reports[0] ?? null,
      locks: reports,
    })
  } else {
    for (const report of reports) context.print(describeInstallation(report))
  }
  if (reports.length === 0) context.note(`"${toPrintable(name)}" declares no dependencies`)
  for (const each of reports.flatMap(({ scripts }) => scripts)) {
    context.note(
      toPrintable(`${each.package} has a script "${each.script}", which is never executed`),
    )
  }
}

export function describeInstallation({
  skill,
  state,
  changed,
  python,
  packages,
}: DependencyReport): string {
  const how =
    state === 'installed' ? (changed ? 'installed' : 'installed already') : STATE_TEXTS[state]
  const list = packages.map(({ name, version }) => `  ${toPrintable(`${name} ${version}`)}`)
  const target = python === null ? 'Node' : `Python ${python}`
  return [toPrintable(`${skill}: ${how} for ${target}`), ...list].join('\n')
}

const STATE_TEXTS = {
  missing: 'not installed',
  damaged: 'changed after installation,',
} as const
