import { SkillsError } from '../../../errors.ts'
import { TEMPLATES, type Template } from './templates.ts'

/** Values from the command line. */
export interface ScaffoldInput {
  name: string | undefined
  kind: string | undefined
  language: string | undefined
  template: string | undefined
  description: string | undefined
}

/** Completes the input with defaults, or throws an error that names the missing flag. */
export function resolveScaffoldInput(input: ScaffoldInput & { takeDefaults: boolean }): {
  name: string
  template: Template
  description: string
} {
  if (input.name === undefined) {
    throw new SkillsError('usage/invalid', 'Missing the name of the new skill', {
      hint: 'Type "skills new demo.greet --yes", with a name of your own',
    })
  }
  const matching = findTemplates(input)
  const decided = input.template ?? input.kind ?? input.language
  if (decided === undefined && !input.takeDefaults) throw missingFlagError('--kind', 'action or instruction')
  if (input.description === undefined && !input.takeDefaults) {
    throw missingFlagError('--description', 'what the skill does and when to use it')
  }
  const template = matching[0] as Template
  return { name: input.name, template, description: input.description ?? template.description }
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
