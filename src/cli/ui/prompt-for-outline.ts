import type { Outline, OutlineField } from '../../core/skills/scaffold/outline/outline.ts'
import {
  checkHost,
  checkSecret,
  FIELD_SYNTAX,
  parseInput,
  parseOutline,
  parseResult,
} from '../../core/skills/scaffold/outline/parse-outline.ts'
import type { Template } from '../../core/skills/scaffold/templates.ts'
import { findInputError, requireAnswer, type PromptStreams } from './prompts.ts'

/** Number of inputs, and of results, after which the prompts end. */
const MAX_FIELDS = 20

/**
 * Prompts for the interface of a skill with code. Returns undefined without any answer: the skill is
 * then the sample of its template.
 */
export async function promptForOutline(
  template: Template,
  streams: PromptStreams,
): Promise<Outline | undefined> {
  if (template.kind !== 'action') return undefined
  const inputs = await promptForFields(
    { title: 'Input', flag: '--input', sample: 'city:string=Name of the city', parse: parseInput },
    streams,
  )
  const network = await promptForList(
    { message: 'Hosts that it reaches (--network)', sample: 'https://api.example.com' },
    checkHost,
    streams,
  )
  const secrets = await promptForList(
    { message: 'Secrets that it reads (--secret)', sample: 'EXAMPLE_API_TOKEN' },
    checkSecret,
    streams,
  )
  const results = await promptForFields(
    { title: 'Result', flag: '--result', sample: 'celsius:number=Temperature', parse: parseResult },
    streams,
  )
  return parseOutline({ inputs, network, secrets, results })
}

interface FieldPrompt {
  title: string
  flag: string
  sample: string
  parse: (text: string, before: readonly OutlineField[]) => OutlineField
}

async function promptForFields(
  { title, flag, sample, parse }: FieldPrompt,
  streams: PromptStreams,
): Promise<string[]> {
  const { text } = await import('@clack/prompts')
  const texts: string[] = []
  const fields: OutlineField[] = []
  while (texts.length < MAX_FIELDS) {
    const answer = requireAnswer(
      await text({
        message: `${title} ${texts.length + 1} as ${FIELD_SYNTAX}, empty to continue (${flag})`,
        placeholder: sample,
        validate: (value) => (value ? findInputError(() => parse(value, fields)) : undefined),
        ...streams,
      }),
    )
    if (!answer) break
    texts.push(answer)
    fields.push(parse(answer, fields))
  }
  return texts
}

async function promptForList(
  { message, sample }: { message: string; sample: string },
  check: (text: string) => string,
  streams: PromptStreams,
): Promise<string[]> {
  const { text } = await import('@clack/prompts')
  const answer = requireAnswer(
    await text({
      message: `${message}, separated by blanks, or empty`,
      placeholder: sample,
      validate: (value) => findInputError(() => splitList(value ?? '').forEach(check)),
      ...streams,
    }),
  )
  return splitList(answer)
}

function splitList(text: string | undefined): string[] {
  return (text ?? '').split(/[\s,]+/).filter((each) => each !== '')
}
