import { dirname, resolve } from 'node:path'
import { CONFIG_FILE_NAME } from '../../core/config/project/find-project.ts'
import { CONFIG_KEYS } from '../../core/config/keys.ts'
import { SETTING_UNITS } from '../../core/config/list-settings.ts'
import { loadConfig, resolveProject, resolveUserFile } from '../../core/config/load-config.ts'
import type { ProjectSettings } from '../../core/config/project/project-settings.ts'
import { TrustedProjects } from '../../core/config/project/project-trust.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { formatSetting } from '../config/settings.ts'
import { getFlagOption, type CommandDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { confirmByPrompt } from '../ui/prompts.ts'
import { formatTable } from '../ui/table.ts'

const PROJECT: CommandDefinition = {
  summary: 'Obey all settings of a project',
  details: [
    'Obey all settings of the skills.config.toml of a project.',
    '',
    'Without trust, settings that start programs, leave the folder of the',
    'project, pass on variables or secrets, widen the network or weaken',
    'isolation are ignored. The command shows them and asks.',
    '',
    '- The trust ends when the file changes or moves.',
    "- It is recorded in trusted-projects in the user's configuration folder.",
  ].join('\n'),
  arguments: [{ syntax: '[folder]', description: 'Folder in the project (default: this one)' }],
  options: [
    { flags: '-y, --yes', description: 'Trust the file as it is now, without a question' },
    { flags: '--revoke', description: 'End the trust' },
  ],
  examples: [
    {
      command: 'skills trust project',
      explains: 'Show the settings and ask',
      notRun: 'it needs a terminal',
    },
    {
      command: 'skills trust project --yes',
      explains: 'Trust the project of a CI job',
      notRun: 'it needs a project',
    },
  ],
  async run(context, call) {
    const cwd = resolve(context.cwd, call.args[0] ?? '.')
    const projects = new TrustedProjects(dirname(resolveUserFile(context)))
    if (getFlagOption(call, 'revoke')) return revokeTrust(context, projects, cwd)
    const found = (await loadConfig({ cwd, env: context.env })).projectSettings
    if (!found) {
      reportTrustState(context, { file: findFile(context, cwd), trust: 'none', settings: [] })
      return 0
    }
    if (found.trust !== 'trusted') {
      if (!getFlagOption(call, 'yes')) await askTrust(context, found)
      await projects.add(found.file, found.digest)
    }
    reportTrustState(context, { ...found, trust: 'trusted' })
    return 0
  },
}

export const command: CommandDefinition = {
  summary: 'Obey all settings of a project',
  details: 'Obey all settings of a project. Trusted keys are of "skills keys".',
  subcommands: { project: PROJECT },
}

async function askTrust(context: Context, { file, settings }: ProjectSettings): Promise<void> {
  if (!context.isInteractive) {
    throw new SkillsError('consent/required', `"${file}" is not trusted without a consent`, {
      hint: `Read its settings ${settings.map(({ key }) => key).join(', ')}, and repeat the command with --yes`,
    })
  }
  context.stderr.write(`${toPrintable(file)} sets:\n${formatProjectSettings(settings)}\n`)
  const question = { message: 'Obey these settings until the file changes?', initialValue: false }
  if (await confirmByPrompt(context, question)) return
  throw new SkillsError('run/cancelled', 'Cancelled; the project is not trusted')
}

function revokeTrust(context: Context, projects: TrustedProjects, cwd: string): number {
  const file = findFile(context, cwd)
  const wasTrusted = projects.remove(file)
  if (context.global.json)
    context.document('skills.project-trust/v1', { file, trust: 'none', was_trusted: wasTrusted })
  else context.print(`${toPrintable(file)} is ${wasTrusted ? 'no longer' : 'not'} trusted`)
  return 0
}

function findFile({ env }: Context, cwd: string): string {
  const { dir, file } = resolveProject({ cwd, env })
  if (file !== undefined) return file
  throw new SkillsError('file/not-found', `The project in "${dir}" has no ${CONFIG_FILE_NAME}`, {
    hint: 'Name a folder of the project',
  })
}

function reportTrustState(
  context: Context,
  shown: Omit<ProjectSettings, 'digest'> & { digest?: string },
) {
  const { file, trust, settings, digest } = shown
  if (context.global.json) {
    context.document('skills.project-trust/v1', { file, digest: digest ?? null, trust, settings })
    return
  }
  if (settings.length > 0) context.print(formatProjectSettings(settings))
  const state =
    settings.length > 0 ? 'is trusted until it changes' : 'has no setting that needs trust'
  context.print(`${toPrintable(file)} ${state}`)
}

function formatProjectSettings(settings: ProjectSettings['settings']): string {
  const rows = settings.map(({ key, value, place }) => {
    const type = CONFIG_KEYS.find((each) => each.key === key)?.type
    const unit = type && SETTING_UNITS[type]
    const shown = formatSetting({ value, ...(unit && { unit }) })
    return [`  ${key}`, shown, `line ${place.slice(place.lastIndexOf(':') + 1)}`]
  })
  return formatTable(rows, { columns: Infinity })
}
