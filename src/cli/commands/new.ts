import { join, relative } from 'node:path'
import { resolveProject } from '../../core/config/load-config.ts'
import type { ScaffoldAnswers } from '../../core/skills/scaffold/resolve-scaffold-input.ts'
import type { ScaffoldedSkill } from '../../core/skills/scaffold/scaffold.ts'
import type { FormatCommand } from '../../core/skills/scaffold/target-folder.ts'
import { TEMPLATE_LANGUAGES } from '../../core/skills/scaffold/templates.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import {
  getFlagOption,
  getListOption,
  getTextOption,
  type CommandLine,
  type CommandDefinition,
} from '../command.ts'
import type { Context } from '../context.ts'
import { createExternalSkill, parseTemplateOption } from '../new/create-external.ts'

export const command: CommandDefinition = {
  summary: 'Create a skill from a template',
  details: [
    'Create a skill from a template.',
    '',
    'On a terminal, missing values are prompted for: what the skill does, its',
    'inputs, hosts, secrets and results. In a pipe, or with --yes, the options',
    'and defaults apply. Existing files are never overwritten: if another skill',
    'has the folder, the new one gets its whole name.',
  ].join('\n'),
  arguments: [{ syntax: '[name]', description: 'Dotted name of the skill, such as demo.greet' }],
  options: [
    {
      flags: '--kind <kind>',
      description: 'Create a skill with code (action) or without (instruction)',
      choices: ['action', 'instruction'],
    },
    {
      flags: '--language <language>',
      description: 'Select the language of the code',
      choices: TEMPLATE_LANGUAGES,
    },
    {
      flags: '--template <template>',
      description: 'Select a built-in template, a folder or a git repository',
    },
    {
      flags: '--description <text>',
      description: 'Describe what the skill does and when to use it',
    },
    {
      flags: '--input <name:type=description>',
      description: 'Declare an input; "name?" is optional, the type is string by default',
      isRepeatable: true,
    },
    {
      flags: '--result <name:type=description>',
      description: 'Return this value next to the summary',
      isRepeatable: true,
    },
    {
      flags: '--network <host>',
      description: 'Declare a host that the code reaches, such as https://api.example.com',
      isRepeatable: true,
    },
    {
      flags: '--secret <name>',
      description: 'Declare a secret that the code reads, such as CRM_API_KEY',
      isRepeatable: true,
    },
    {
      flags: '--dir <dir>',
      description: "Create its folder here instead of in the project's skills folder",
    },
    { flags: '-y, --yes', description: 'Use defaults instead of prompts' },
  ],
  examples: [
    {
      command: 'skills new demo.hello --yes',
      explains: 'Create a Python action in skills/hello',
    },
    {
      command:
        'skills new team.notes --kind instruction --description "Explains how we write notes."',
      explains: 'Create instructions without code',
    },
    {
      command:
        'skills new demo.rates --yes --language node --input currency:string="Code of the currency" --network https://api.example.com --result rate:number',
      explains: 'Create JavaScript with an input, a host and a result',
    },
    {
      command: 'skills new demo.weather --template python-network --yes --dir lab',
      explains: 'Create code with network and a secret in lab/weather',
    },
    {
      command:
        'skills new team.report --template github:acme/templates#v1:report --description "Writes a report."',
      explains: 'Create a skill from a folder of a repository, at a tag',
      notRun: 'the repository is made up',
    },
  ],
  async run(context, call) {
    const created = await createSkill(context, call)
    const next = listNextCommands(created, created.root)
    if (context.global.json) {
      const { name, kind, dir, files } = created
      const skill = { name, kind, dir, files }
      context.document('skills.new/v1', { skill, template: created.template, next })
      return 0
    }
    context.print(`Wrote ${context.style.bold(created.name)} to ${created.shownDir}`)
    for (const file of created.files) context.print(`  ${context.style.dim(file)}`)
    context.print(`Next:\n${next.map((line) => `  ${line}`).join('\n')}`)
    return 0
  },
}

interface CreatedSkill extends ScaffoldedSkill {
  kind: string
  template: string
  /** Folder for --root, if other commands do not search the skill's folder. */
  root: string | undefined
}

async function createSkill(context: Context, call: CommandLine): Promise<CreatedSkill> {
  const { cwd, signal } = context
  const projectFolder = findProjectFolder(context)
  const parent = getTextOption(call, 'dir') ?? projectFolder
  const formatCommand = (change: { name?: string; dir?: string }) => formatCommandLine(call, change)
  const isInProject = !relative(projectFolder, parent).startsWith('..')
  const root = isInProject ? undefined : parent
  const source = parseTemplateOption(call)
  if (source !== undefined) {
    const created = await createExternalSkill(context, call, { source, parent, formatCommand })
    return { ...created, template: getTextOption(call, 'template') ?? '', root }
  }
  const answers = await collectAnswers(context, call, { parent, formatCommand })
  const { scaffoldSkill } = await import('../../core/skills/scaffold/scaffold.ts')
  const created = scaffoldSkill({ cwd, signal, parent, formatCommand, ...answers })
  const { kind, id: template } = answers.template
  return { ...created, kind, template, root }
}

/** The folder that other commands search: the project's folder may be a parent of this one. */
function findProjectFolder(context: Context): string {
  const { config, noConfig } = context.global
  const { cwd, env } = context
  const { dir } = resolveProject({ cwd, env, file: config, noFiles: noConfig })
  return join(relative(cwd, dir), 'skills')
}

/** The command line with another name or parent folder. */
function formatCommandLine(call: CommandLine, change: { name?: string; dir?: string }): string {
  const name = change.name ?? call.args[0] ?? 'demo.greet'
  const dir = change.dir ?? getTextOption(call, 'dir')
  const texts = ['kind', 'language', 'template', 'description'].flatMap((option) => {
    const value = getTextOption(call, option)
    return value === undefined ? [] : [`--${option}`, value]
  })
  const lists = ['input', 'result', 'network', 'secret'].flatMap((option) =>
    getListOption(call, option).flatMap((value) => [`--${option}`, value]),
  )
  const yes = getFlagOption(call, 'yes') ? ['--yes'] : []
  const place = dir === undefined ? [] : ['--dir', dir]
  return ['skills', 'new', name, ...texts, ...lists, ...place, ...yes].map(quoteShellWord).join(' ')
}

async function collectAnswers(
  context: Context,
  call: CommandLine,
  target: { parent: string; formatCommand: FormatCommand },
): Promise<ScaffoldAnswers> {
  const { parseOutline } = await import('../../core/skills/scaffold/outline/parse-outline.ts')
  const input = {
    name: call.args[0],
    kind: getTextOption(call, 'kind'),
    language: getTextOption(call, 'language'),
    template: getTextOption(call, 'template'),
    description: getTextOption(call, 'description'),
    outline: parseOutline({
      inputs: getListOption(call, 'input'),
      results: getListOption(call, 'result'),
      network: getListOption(call, 'network'),
      secrets: getListOption(call, 'secret'),
    }),
  }
  const isPrompting = context.isInteractive && !getFlagOption(call, 'yes')
  if (isPrompting) {
    const { promptForSkill } = await import('../ui/prompt-for-skill.ts')
    return await promptForSkill(context, { ...input, ...target })
  }
  const { resolveScaffoldInput } =
    await import('../../core/skills/scaffold/resolve-scaffold-input.ts')
  return resolveScaffoldInput({ ...input, takeDefaults: getFlagOption(call, 'yes') })
}

function listNextCommands(
  created: Pick<ScaffoldedSkill, 'name' | 'shownDir' | 'example' | 'files'>,
  searchRoot: string | undefined,
): readonly string[] {
  const root = searchRoot === undefined ? [] : ['--root', searchRoot]
  const joinWords = (list: readonly string[]) => list.map(quoteShellWord).join(' ')
  return [
    joinWords(['skills', 'lint', created.shownDir]),
    ...(created.files.some((file) => file.startsWith('tests/'))
      ? [joinWords(['skills', 'test', created.shownDir])]
      : []),
    created.example
      ? joinWords(['skills', 'exec', created.name, ...created.example, ...root])
      : joinWords(['skills', 'describe', created.name, ...root]),
  ]
}
