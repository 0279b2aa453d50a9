import { SkillsError } from '../../../errors.ts'
import { TEMPLATES, type Template } from './templates.ts'

/** What was given on a command line. */
export interface ScaffoldInput {
  name: string | undefined
  kind: string | undefined
  language: string | undefined
  template: string | undefined
  description: string | undefined
}

/** Turns what was given into a full request, or says which flag is missing. */
export function resolveScaffoldInput(given: ScaffoldInput & { takeDefaults: boolean }): {
  name: string
  template: Template
  description: string
} {
  if (given.name === undefined) {
    throw new SkillsError('usage/invalid', 'Missing the name of the new skill', {
      hint: 'Type "skills new demo.greet --yes", with a name of your own',
    })
  }
  const fitting = findTemplates(given)
  const decided = given.template ?? given.kind ?? given.language
  if (decided === undefined && !given.takeDefaults) throw missingFlagError('--kind', 'action or instruction')
  if (given.description === undefined && !given.takeDefaults) {
    throw missingFlagError('--description', 'what the skill does and when to use it')
  }
  const template = fitting[0] as Template
  return { name: given.name, template, description: given.description ?? template.description }
}

/** The templates that agree with what was given; never none. */
export function findTemplates(
  given: Pick<ScaffoldInput, 'kind' | 'language' | 'template'>,
): readonly Template[] {
  const { kind, language, template } = given
  const fitting = TEMPLATES.filter(
    (each) =>
      (kind === undefined || each.kind === kind) &&
      (language === undefined || each.language === language) &&
      (template === undefined || each.id === template),
  )
  if (fitting.length > 0) return fitting
  const said = [
    template && `--template ${template}`,
    kind && `--kind ${kind}`,
    language && `--language ${language}`,
  ].filter(Boolean)
  throw new SkillsError('usage/invalid', `No template fits ${said.join(' and ')} together`, {
    hint: `Leave one of them out, or type "skills new demo.greet --template ${TEMPLATES[0]?.id}"; there are ${TEMPLATES.map((each) => each.id).join(', ')}`,
  })
}

function missingFlagError(flag: string, what: string): SkillsError {
  return new SkillsError('usage/invalid', `Missing ${flag}: nobody is there to ask for ${what}`, {
    hint: `Add ${flag}, or --yes to take the default`,
    data: { flag },
  })
}
