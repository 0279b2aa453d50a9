import type { DependencyReport } from '../../core/skills/dependencies/manage.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { getFlagOption, getTextOption, type CommandDefinition } from '../command.ts'
import { findSkill, openLocalFolders, resolveReferences } from '../find-skill.ts'
import { openRuntime } from '../runtime.ts'

export const command: CommandDefinition = {
  summary: 'Install the packages in the lock file of a skill',
  details: [
    'Install the packages in the lock file of a skill.',
    '',
    '- skill.toml names the lock file: python = "requirements.lock" under',
    '  [dependencies].',
    '- Each of its lines has a version and the hashes of its wheels.',
    '- Installing runs no code of a wheel.',
    '- Runs of the skill can import the packages, but never install any.',
  ].join('\n'),
  arguments: [{ syntax: '<skill>', description: 'Name, name@version, or folder of a skill' }],
  options: [
    {
      flags: '--check',
      description: 'Check without installing; exit with 1 if packages are missing',
    },
    { flags: '--from <folder>', description: 'Install wheels of this folder, without network' },
  ],
  examples: [
    {
      command: 'skills deps demo.table',
      explains: 'Install the locked packages of a skill',
      notRun: 'it needs a package index',
    },
    {
      command: 'skills deps demo.table --from ./wheels',
      explains: 'Install without network',
      notRun: 'it needs a folder of wheels',
    },
    {
      command: 'skills deps demo.greet --check',
      explains: 'Check that the packages of a skill are installed',
    },
  ],
  async run(context, call) {
    const [check, from] = [getFlagOption(call, 'check'), getTextOption(call, 'from')]
    if (check && from !== undefined) {
      throw new SkillsError(
        'usage/invalid',
        '--check installs nothing and cannot be combined with --from',
        {
          hint: 'Remove one of them',
        },
      )
    }
    const runtime = await openRuntime(context)
    const repository = resolveReferences(runtime.repository, openLocalFolders(context))
    const entry = await findSkill(repository, call.args[0] ?? '')
    const manifest = await repository.manifest(entry)
    const { manageDependencies } = await import('../../core/skills/dependencies/manage.ts')
    const { cwd, env, signal } = context
    const installOptions = { check, from, call: { cwd, env, signal } }
    const report = await manageDependencies(runtime, { manifest, dir: entry.dir }, installOptions)
    if (context.global.json) {
      context.document('skills.dependencies/v1', { dependencies: report ?? null })
    } else if (report) context.print(describeInstallation(report))
    if (!report) context.note(`"${toPrintable(entry.name)}" declares no dependencies`)
    return !report || report.state === 'installed' ? 0 : 1
  },
}

function describeInstallation({
  skill,
  state,
  changed,
  python,
  packages,
}: DependencyReport): string {
  const how =
    state === 'installed' ? (changed ? 'installed' : 'installed already') : STATE_TEXTS[state]
  const list = packages.map(({ name, version }) => `  ${toPrintable(`${name} ${version}`)}`)
  return [toPrintable(`${skill}: ${how} for Python ${python}`), ...list].join('\n')
}

const STATE_TEXTS = {
  missing: 'not installed',
  damaged: 'changed after installation,',
} as const
