import { SkillsError } from '../../../errors.ts'
import type { Outline } from './outline/outline.ts'
import { TEMPLATES, type Template } from './templates.ts'

/** Values from the command line. */
export interface ScaffoldInput {
  name: string | undefined
  kind: string | undefined
  language: string | undefined
  template: string | undefined
  description: string | undefined
  /** Interface of the skill, from the options for inputs, results, network and secrets. */
  outline: Outline | undefined
}

/** Complete values of a new skill from a built-in template. */
export interface ScaffoldAnswers {
  name: string
  template: Template
  description: string
  outline: Outline | undefined
}

/** Completes the input with defaults, or throws an error that names the missing flag. */
export function resolveScaffoldInput(
  input: ScaffoldInput & { takeDefaults: boolean },
): ScaffoldAnswers {
  const name = requireName(input.name)
  const matching = findTemplates(input)
  const decided = input.template ?? input.kind ?? input.language
  if (decided === undefined && !input.takeDefaults) throw missingFlagError('--kind', 'action or instruction')
  if (input.description === undefined && !input.takeDefaults) {
    throw missingFlagError('--description', 'what the skill does and when to use it')
  }
  const template = matching[0] as Template
  checkOutlineFits(input.outline, template)
  const description = input.description ?? template.description
  return { name, template, description, outline: input.outline }
}

/** Returns the name, or throws an error that shows the command line. */
export function requireName(name: string | undefined): string {
  if (name !== undefined) return name
  throw new SkillsError('usage/invalid', 'Missing the name of the new skill', {
    hint: 'Type "skills new demo.greet --yes", with a name of your own',
  })
}

/** Throws if a skill without code would get inputs, results, network or secrets. */
export function checkOutlineFits(outline: Outline | undefined, template: Template): void {
  if (outline === undefined || template.kind === 'action') return
  throw new SkillsError(
    'usage/invalid',
    'An instruction has no code: --input, --result, --network and --secret need --kind action',
    { hint: 'Omit these options, or add --kind action' },
  )
}

/** Templates that match the input; throws if there are none. */
export function findTemplates(
  input: Pick<ScaffoldInput, 'kind' | 'language' | 'template'>,
): readonly Template[] {
  const { kind, language, template } = input
  const matching = TEMPLATES.filter(
    (each) =>
      (kind === undefined || each.kind === kind) &&
      (language === undefined || each.language === language) &&
      (template === undefined || each.id === template),
  )
  if (matching.length > 0) return matching
  const flags = [
    template && `--template ${template}`,
    kind && `--kind ${kind}`,
    language && `--language ${language}`,
  ].filter(Boolean)
  throw new SkillsError('usage/invalid', `No template matches ${flags.join(' and ')} together`, {
    hint: `Omit one of them, or type "skills new demo.greet --template ${TEMPLATES[0]?.id}"; the templates are ${TEMPLATES.map((each) => each.id).join(', ')}`,
  })
}

function missingFlagError(flag: string, subject: string): SkillsError {
  return new SkillsError('usage/invalid', `Missing ${flag}: cannot ask for ${subject} without a terminal`, {
    hint: `Add ${flag}, or --yes to use the default`,
    data: { flag },
  })
}
