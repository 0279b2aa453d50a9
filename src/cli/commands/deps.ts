import type { DependencyReport } from '../../core/skills/dependencies/manage.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { getFlagOption, getTextOption, type CommandDefinition } from '../command.ts'
import { findSkill, openLocalFolders, resolveReferences } from '../find-skill.ts'
import { openRuntime } from '../runtime.ts'

export const command: CommandDefinition = {
  summary: 'Install the packages that a skill pins in its lock file',
  details: [
    'A skill names its lock file in skill.toml: python = "requirements.lock" under [dependencies].',
    'Each line of it pins a version and the hashes of its wheels; nothing of a wheel is run here.',
    'Runs of the skill see the packages, and none of them installs any.',
  ].join(' '),
  arguments: [{ syntax: '<skill>', description: 'Name, name@version, or the folder of a skill' }],
  options: [
    { flags: '--check', description: 'Only look; the exit code is 1 where some are missing' },
    { flags: '--from <folder>', description: 'Take wheels of this folder, and use no network' },
  ],
  examples: [
    {
      command: 'skills deps demo.table',
      explains: 'Install what it pins',
      notRun: 'it needs a package index',
    },
    {
      command: 'skills deps demo.table --from ./wheels',
      explains: 'The same without a network',
      notRun: 'it needs a folder of wheels',
    },
    { command: 'skills deps demo.greet --check', explains: 'Whether runs find what they need' },
  ],
  async run(context, call) {
    const [check, from] = [getFlagOption(call, 'check'), getTextOption(call, 'from')]
    if (check && from !== undefined) {
      throw new SkillsError('usage/invalid', '--check installs nothing, so --from has no use', {
        hint: 'Leave one of them out',
      })
    }
    const runtime = await openRuntime(context)
    const repository = resolveReferences(runtime.repository, openLocalFolders(context))
    const entry = await findSkill(repository, call.args[0] ?? '')
    const manifest = await repository.manifest(entry)
    const { manageDependencies } = await import('../../core/skills/dependencies/manage.ts')
    const { cwd, env, signal } = context
    const asked = { check, from, call: { cwd, env, signal } }
    const report = await manageDependencies(runtime, { manifest, dir: entry.dir }, asked)
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
  damaged: 'changed since they were installed,',
} as const
