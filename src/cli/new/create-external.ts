import { resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'
import type { TemplateFile } from '../../core/skills/scaffold/external/template-files.ts'
import {
  parseTemplateSource,
  type TemplateSource,
} from '../../core/skills/scaffold/external/template-source.ts'
import { requireName } from '../../core/skills/scaffold/resolve-scaffold-input.ts'
import type { ScaffoldedSkill } from '../../core/skills/scaffold/scaffold.ts'
import type { FormatCommand } from '../../core/skills/scaffold/target-folder.ts'
import { getFlagOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'

/** Options that describe the interface of a skill from a built-in template. */
const BUILT_IN_OPTIONS = ['kind', 'language', 'input', 'result', 'network', 'secret'] as const

/** The source of --template; undefined without the option and for a built-in template. */
export function parseTemplateOption(call: CommandLine): TemplateSource | undefined {
  const template = getTextOption(call, 'template')
  const source = template === undefined ? undefined : parseTemplateSource(template)
  const unused = BUILT_IN_OPTIONS.find((option) => call.options[option] !== undefined)
  if (source === undefined || unused === undefined) return source
  throw new SkillsError(
    'usage/invalid',
    `--${unused} applies to built-in templates, not to "${template}"`,
    { hint: `Omit --${unused}: the template decides` },
  )
}

/** Creates a skill from a folder or a git repository. */
export async function createExternalSkill(
  context: Context,
  call: CommandLine,
  target: { source: TemplateSource; parent: string; formatCommand: FormatCommand },
): Promise<ScaffoldedSkill & { kind: string }> {
  const { cwd, signal } = context
  const { source, ...place } = target
  const shown = getTextOption(call, 'template') ?? ''
  const { needsDescription, scaffoldExternal } =
    await import('../../core/skills/scaffold/external/scaffold-external.ts')
  const isPrompting = context.isInteractive && !getFlagOption(call, 'yes')
  const name = call.args[0]
  // Without a terminal a missing name is reported before anything is fetched.
  if (!isPrompting) requireName(name)
  const files = await readTemplate(context, source, shown)
  const needed = needsDescription(files)
  const description = getTextOption(call, 'description')
  if (!isPrompting) {
    if (needed && description === undefined) throw missingDescriptionError(shown)
    const values = { name: requireName(name), description }
    return scaffoldExternal({ cwd, signal, ...place, shown, files, ...values })
  }
  const { promptForExternal } = await import('../ui/prompt-for-skill.ts')
  const answers = await promptForExternal(context, { ...place, name, description, needed })
  return scaffoldExternal({ cwd, signal, ...place, shown, files, ...answers })
}

async function readTemplate(
  { cwd, env, signal }: Context,
  source: TemplateSource,
  shown: string,
): Promise<TemplateFile[]> {
  if (source.type === 'folder') {
    const { readTemplateFolder } =
      await import('../../core/skills/scaffold/external/read-folder.ts')
    return readTemplateFolder(resolve(cwd, source.path), shown)
  }
  const { fetchTemplate } = await import('../../core/skills/scaffold/external/fetch-repository.ts')
  return await fetchTemplate({ source, shown, env, signal })
}

function missingDescriptionError(shown: string): SkillsError {
  return new SkillsError(
    'usage/invalid',
    `Missing --description: the template "${shown}" uses it`,
    {
      hint: 'Add --description "Greets somebody by name."',
      data: { flag: '--description' },
    },
  )
}
