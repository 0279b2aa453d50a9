import type { Readable, Writable } from 'node:stream'
import { SkillsError } from '../../errors.ts'
import { templatesFor, type Given } from '../../core/scaffold/decide.ts'
import { checkTarget, descriptionProblem } from '../../core/scaffold/scaffold.ts'
import type { Template } from '../../core/scaffold/templates.ts'
import type { Context } from '../context.ts'

/** Asks a person for what the flags left open. Prompts go to standard error. */
export async function askForSkill(
  context: Context,
  given: Given & { parent: string },
): Promise<{ name: string; template: Template; description: string }> {
  const { text, select, isCancel } = await import('@clack/prompts')
  const streams = {
    input: context.stdin as unknown as Readable,
    output: context.stderr as unknown as Writable,
    signal: context.signal,
  }
  const target = (name: string) => ({ cwd: context.cwd, name, parent: given.parent })
  const sure = <T extends string>(answer: T | symbol): T => {
    if (isCancel(answer) || typeof answer === 'symbol')
      throw new SkillsError('run/cancelled', 'Cancelled; nothing was written')
    return answer
  }

  templatesFor(given)
  const name =
    given.name ??
    sure(
      await text({
        message: 'Name of the skill (argument: name)',
        placeholder: 'demo.greet',
        validate: (value) => complaint(() => checkTarget(target(value ?? ''))),
        ...streams,
      }),
    )
  checkTarget(target(name))
  const fitting = templatesFor(given)
  const templates =
    given.kind === undefined && new Set(fitting.map((each) => each.kind)).size > 1
      ? templatesFor({
          ...given,
          kind: sure(
            await select({
              message: 'Kind (--kind)',
              options: [
                { value: 'action', label: 'action', hint: 'code that is executed' },
                { value: 'instruction', label: 'instruction', hint: 'text that is read' },
              ],
              ...streams,
            }),
          ),
        })
      : fitting
  const first = templates[0] as Template
  const id =
    templates.length === 1
      ? first.id
      : sure(
          await select({
            message: 'Template (--template)',
            options: templates.map((each) => ({ value: each.id, label: each.title })),
            ...streams,
          }),
        )
  const template = templates.find((each) => each.id === id) ?? first
  const description =
    given.description ??
    sure(
      await text({
        message: 'What it does and when to use it (--description)',
        initialValue: template.description,
        validate: (value) => descriptionProblem(value ?? ''),
        ...streams,
      }),
    )
  return { name, template, description }
}

function complaint(check: () => unknown): string | undefined {
  try {
    check()
    return undefined
  } catch (thrown) {
    return (thrown as Error).message
  }
}
