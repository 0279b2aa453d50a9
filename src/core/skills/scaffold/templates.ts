import type { SkillKind } from '../manifest/manifest.ts'
import { EMPTY_OUTLINE, type Outline, type OutlineField } from './outline/outline.ts'

/** Template of a new skill. */
export interface Template {
  id: string
  title: string
  kind: SkillKind
  language: string | undefined
  /** Default description of a skill created from it. */
  description: string
  /** Interface of a skill that is created without one. */
  outline: Outline
  /** True if `templates/<id>/` has files for this outline. */
  hasFiles?: true
}

const GREETING = 'Greets somebody by name. Use it when a greeting is asked for.'

const GREETING_OUTLINE: Outline = {
  ...EMPTY_OUTLINE,
  inputs: [requireInput('name', 'string', 'Name of the person to greet')],
  results: [requireInput('greeting', 'string', 'Greeting of that person')],
}

/** All templates; the first of a kind is the kind's default. */
export const TEMPLATES: readonly Template[] = [
  {
    id: 'python',
    title: 'Python action',
    kind: 'action',
    language: 'python',
    description: GREETING,
    outline: GREETING_OUTLINE,
  },
  {
    id: 'python-network',
    title: 'Python action with network and secrets',
    kind: 'action',
    language: 'python',
    description: 'Looks up the weather of a city. Use it when the weather is asked for.',
    outline: {
      inputs: [{ ...requireInput('city', 'string', 'City to look up'), example: 'Oslo' }],
      results: [requireInput('weather', 'object', 'Weather of the city')],
      network: ['https://api.example.com'],
      secrets: ['EXAMPLE_API_TOKEN'],
    },
    hasFiles: true,
  },
  {
    id: 'python-blobs',
    title: 'Python action that reads and writes blobs',
    kind: 'action',
    language: 'python',
    description: 'Counts the words of a text. Use it when a large text must be measured.',
    outline: {
      ...EMPTY_OUTLINE,
      inputs: [requireInput('text', 'blob', 'Blob with the text whose words are counted')],
      results: [
        requireInput('words', 'integer', 'Number of words'),
        requireInput('report', 'blob', 'Count of each word'),
      ],
    },
    hasFiles: true,
  },
  {
    id: 'node',
    title: 'JavaScript action',
    kind: 'action',
    language: 'node',
    description: GREETING,
    outline: GREETING_OUTLINE,
  },
  {
    id: 'typescript',
    title: 'TypeScript action',
    kind: 'action',
    language: 'typescript',
    description: GREETING,
    outline: GREETING_OUTLINE,
  },
  {
    id: 'shell',
    title: 'Shell action',
    kind: 'action',
    language: 'shell',
    description: GREETING,
    outline: GREETING_OUTLINE,
  },
  {
    id: 'instruction',
    title: 'Instructions without code',
    kind: 'instruction',
    language: undefined,
    description: 'Explains how a task is done step by step. Use it when that task comes up.',
    outline: EMPTY_OUTLINE,
    hasFiles: true,
  },
]

/** Languages for which a template exists. */
export const TEMPLATE_LANGUAGES: readonly string[] = [
  ...new Set(TEMPLATES.flatMap((each) => each.language ?? [])),
]

function requireInput(
  name: string,
  type: OutlineField['type'],
  description: string,
): OutlineField {
  return { name, type, description, required: true }
}
