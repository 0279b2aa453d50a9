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
  const { text } = await import('@clack/prompts')
  const { parent, formatCommand } = input
  const target = (name: string) => ({ cwd, name, parent, formatCommand })
  findTemplates(input)
  const name =
    input.name ??
    requireAnswer(
      await text({
        message: 'Name of the skill',
        placeholder: 'demo.greet',
        validate: (value) => findInputError(() => resolveTargetFolder(target(value ?? ''))),
        ...streams,
      }),
    )
  resolveTargetFolder(target(name))
  const template = await chooseTemplate(input, streams)
  checkOutlineFits(input.outline, template)
  resolveTargetFolder({ ...target(name), kind: template.kind })
  const description =
    input.description ??
    requireAnswer(
      await text({
        message: 'What it does and when to use it (--description)',
        placeholder: template.description,
        defaultValue: template.description,
        validate: (value) => findDescriptionProblem(value || template.description),
        ...streams,
      }),
    )
  const outline = input.outline ?? (await promptForOutline(template, streams))
  return { name, template, description, outline }
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
