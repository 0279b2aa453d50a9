import { join, relative } from 'node:path'
import { resolveProject } from '../../core/config/load-config.ts'
import {
  TEMPLATE_LANGUAGES,
  TEMPLATES,
  type Template,
} from '../../core/skills/scaffold/templates.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import {
  getFlagOption,
  getTextOption,
  type CommandLine,
  type CommandDefinition,
} from '../command.ts'
import type { Context } from '../context.ts'

export const command: CommandDefinition = {
  summary: 'Create a skill from a template',
  details: [
    'Create a skill from a template.',
    '',
    'Missing values are prompted for; --yes uses defaults instead. Existing',
    'files are never overwritten.',
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
      description: 'Select the template',
      choices: TEMPLATES.map((each) => each.id),
    },
    {
      flags: '--description <text>',
      description: 'Describe what the skill does and when to use it',
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
      command: 'skills new demo.weather --template python-network --yes --dir lab',
      explains: 'Create code with network and a secret in lab/weather',
    },
  ],
  async run(context, call) {
    const { scaffoldSkill } = await import('../../core/skills/scaffold/scaffold.ts')
    const dirOption = getTextOption(call, 'dir')
    const parent = dirOption ?? findProjectFolder(context)
    const answers = await collectAnswers(context, call, parent)
    const { findSchemaReference } = await import('../../core/skills/scaffold/schema-reference.ts')
    const { cwd, signal } = context
    const created = scaffoldSkill({
      cwd,
      signal,
      parent,
      schemaReference: findSchemaReference,
      ...answers,
    })
    const next = listNextCommands(created, dirOption)
    if (context.global.json) {
      context.document('skills.new/v1', {
        skill: {
          name: created.name,
          kind: answers.template.kind,
          dir: created.dir,
          files: created.files,
        },
        template: answers.template.id,
        next,
      })
      return 0
    }
    context.print(`Wrote ${context.style.bold(created.name)} to ${created.shownDir}`)
    for (const file of created.files) context.print(`  ${context.style.dim(file)}`)
    context.print(`Next:\n${next.map((line) => `  ${line}`).join('\n')}`)
    return 0
  },
}

/** Values from prompts or flags. */
interface ScaffoldAnswers {
  name: string
  template: Template
  description: string
}

/** The folder that other commands search: the project's folder may be a parent of this one. */
function findProjectFolder(context: Context): string {
  const { config, noConfig } = context.global
  const { cwd, env } = context
  const { dir } = resolveProject({ cwd, env, file: config, noFiles: noConfig })
  return join(relative(cwd, dir), 'skills')
}

async function collectAnswers(
  context: Context,
  call: CommandLine,
  parent: string,
): Promise<ScaffoldAnswers> {
  const input = {
    name: call.args[0],
    kind: getTextOption(call, 'kind'),
    language: getTextOption(call, 'language'),
    template: getTextOption(call, 'template'),
    description: getTextOption(call, 'description'),
    parent,
  }
  const isPrompting = context.isInteractive && !getFlagOption(call, 'yes')
  if (isPrompting) {
    const { promptForSkill } = await import('../ui/prompt-for-skill.ts')
    return await promptForSkill(context, input)
  }
  const { resolveScaffoldInput } =
    await import('../../core/skills/scaffold/resolve-scaffold-input.ts')
  return resolveScaffoldInput({ ...input, takeDefaults: getFlagOption(call, 'yes') })
}

function listNextCommands(
  created: { name: string; shownDir: string; example: readonly string[] | undefined },
  dir: string | undefined,
): readonly string[] {
  const root = dir === undefined ? [] : ['--root', dir]
  const joinWords = (list: readonly string[]) => list.map(quoteShellWord).join(' ')
  return [
    joinWords(['skills', 'lint', created.shownDir]),
    created.example
      ? joinWords(['skills', 'exec', created.name, ...created.example, ...root])
      : joinWords(['skills', 'describe', created.name, ...root]),
  ]
}
