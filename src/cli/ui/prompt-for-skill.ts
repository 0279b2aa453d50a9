import type { Readable, Writable } from 'node:stream'
import { SkillsError } from '../../errors.ts'
import {
  findTemplates,
  type ScaffoldInput,
} from '../../core/skills/scaffold/resolve-scaffold-input.ts'
import { resolveTargetFolder, findDescriptionProblem } from '../../core/skills/scaffold/scaffold.ts'
import type { Template } from '../../core/skills/scaffold/templates.ts'
import type { Context } from '../context.ts'

/** Prompt functions; a cancelled prompt ends the command. */
interface Prompts {
  text: typeof import('@clack/prompts').text
  select: typeof import('@clack/prompts').select
  streams: { input: Readable; output: Writable; signal: AbortSignal }
}

/** Prompts for values that the flags leave open, on standard error. */
export async function promptForSkill(
  context: Context,
  input: ScaffoldInput & { parent: string },
): Promise<{ name: string; template: Template; description: string }> {
  const { text, select } = await import('@clack/prompts')
  const streams = {
    input: context.stdin as unknown as Readable,
    output: context.stderr as unknown as Writable,
    signal: context.signal,
  }
  const prompts = { text, select, streams }
  const target = (name: string) => ({ cwd: context.cwd, name, parent: input.parent })
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
  const template = await chooseTemplate(prompts, input)
  resolveTargetFolder({ ...target(name), template })
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
  return { name, template, description }
}

async function chooseTemplate(prompts: Prompts, input: ScaffoldInput): Promise<Template> {
  const fitting = findTemplates(input)
  const isOpen = new Set(fitting.map((each) => each.kind)).size > 1
  const templates = isOpen
    ? findTemplates({ ...input, kind: await chooseSkillKind(prompts) })
    : fitting
  const first = templates[0] as Template
  if (templates.length === 1) return first
  const id = requireAnswer(
    await prompts.select({
      message: 'Template (--template)',
      options: templates.map((each) => ({ value: each.id, label: each.title })),
      ...prompts.streams,
    }),
  )
  return templates.find((each) => each.id === id) ?? first
}

async function chooseSkillKind({ select, streams }: Prompts): Promise<string> {
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

function requireAnswer(answer: string | symbol): string {
  if (typeof answer === 'string') return answer
  throw new SkillsError('run/cancelled', 'Cancelled; nothing was written')
}

function findInputError(check: () => unknown): string | undefined {
  try {
    check()
    return undefined
  } catch (thrown) {
    return (thrown as Error).message
  }
}
