import {
  checkOutlineFits,
  findTemplates,
  type ScaffoldAnswers,
  type ScaffoldInput,
} from '../../core/skills/scaffold/resolve-scaffold-input.ts'
import { findDescriptionProblem } from '../../core/skills/scaffold/scaffold.ts'
import {
  resolveTargetFolder,
  type FormatCommand,
  type TargetRequest,
} from '../../core/skills/scaffold/target-folder.ts'
import type { Template } from '../../core/skills/scaffold/templates.ts'
import type { Context } from '../context.ts'
import { promptForOutline } from './prompt-for-outline.ts'
import { findInputError, requireAnswer, withPrompts, type PromptStreams } from './prompts.ts'

/** Values of the flags, and the location of the skill. */
type PromptInput = ScaffoldInput & { parent: string; formatCommand: FormatCommand }

/** Prompts for values that the flags leave open, on standard error. */
export async function promptForSkill(
  context: Context,
  input: PromptInput,
): Promise<ScaffoldAnswers> {
  return await withPrompts(context, async (streams) => await askForSkill(context, input, streams))
}

async function askForSkill(
  { cwd }: Context,
  input: PromptInput,
  streams: PromptStreams,
): Promise<ScaffoldAnswers> {
  const { parent, formatCommand } = input
  const target = { cwd, parent, formatCommand }
  findTemplates(input)
  const name = await askForName(target, input.name, streams)
  const template = await chooseTemplate(input, streams)
  checkOutlineFits(input.outline, template)
  resolveTargetFolder({ ...target, name, kind: template.kind })
  const description = input.description ?? (await askForDescription(template.description, streams))
  const outline = input.outline ?? (await promptForOutline(template, streams))
  return { name, template, description, outline }
}

/** Prompts for the values of a skill from a template that is not built in. */
export async function promptForExternal(
  context: Context,
  input: Pick<PromptInput, 'name' | 'description' | 'parent' | 'formatCommand'> & {
    /** True if the template has a placeholder for the description. */
    needed: boolean
  },
): Promise<{ name: string; description: string | undefined }> {
  const { parent, formatCommand, needed } = input
  return await withPrompts(context, async (streams) => {
    const name = await askForName({ cwd: context.cwd, parent, formatCommand }, input.name, streams)
    const isOpen = needed && input.description === undefined
    const description = isOpen ? await askForDescription(undefined, streams) : input.description
    return { name, description }
  })
}

/** Returns a name for which the folder is free. */
async function askForName(
  target: Omit<TargetRequest, 'name'>,
  known: string | undefined,
  streams: PromptStreams,
): Promise<string> {
  const { text } = await import('@clack/prompts')
  const check = (name: string) => resolveTargetFolder({ ...target, name })
  const name =
    known ??
    requireAnswer(
      await text({
        message: 'Name of the skill',
        placeholder: 'demo.greet',
        validate: (value) => findInputError(() => check(value ?? '')),
        ...streams,
      }),
    )
  check(name)
  return name
}

async function askForDescription(
  suggested: string | undefined,
  streams: PromptStreams,
): Promise<string> {
  const { text } = await import('@clack/prompts')
  return requireAnswer(
    await text({
      message: 'What it does and when to use it (--description)',
      placeholder: suggested ?? 'Greets somebody by name. Use it when a greeting is asked for.',
      ...(suggested !== undefined && { defaultValue: suggested }),
      validate: (value) => findDescriptionProblem(value || (suggested ?? '')),
      ...streams,
    }),
  )
}

async function chooseTemplate(input: ScaffoldInput, streams: PromptStreams): Promise<Template> {
  const fitting = findTemplates(input)
  const isOpen = new Set(fitting.map((each) => each.kind)).size > 1
  const templates = isOpen
    ? findTemplates({ ...input, kind: await chooseSkillKind(streams) })
    : fitting
  const first = templates[0] as Template
  if (templates.length === 1) return first
  const { select } = await import('@clack/prompts')
  const id = requireAnswer(
    await select({
      message: 'Template (--template)',
      options: templates.map((each) => ({ value: each.id, label: each.title })),
      ...streams,
    }),
  )
  return templates.find((each) => each.id === id) ?? first
}

async function chooseSkillKind(streams: PromptStreams): Promise<string> {
  const { select } = await import('@clack/prompts')
  return requireAnswer(
    await select({
      message: 'Kind (--kind)',
      options: [
        { value: 'action', label: 'action', hint: 'code to execute' },
        { value: 'instruction', label: 'instruction', hint: 'text to read' },
      ],
      ...streams,
    }),
  )
}
