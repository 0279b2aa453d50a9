import type { SkillKind } from '../manifest/manifest.ts'

/** Template of a new skill; its files are stored in `templates/<id>/`. */
export interface Template {
  id: string
  title: string
  kind: SkillKind
  language: string | undefined
  /** Default description of a skill created from it. */
  description: string
  /** Arguments of `skills exec` for its example call. */
  example: readonly string[] | undefined
}

/** All templates; the first of a kind is the kind's default. */
export const TEMPLATES: readonly Template[] = [
  {
    id: 'python',
    title: 'Python action',
    kind: 'action',
    language: 'python',
    description: 'Greets somebody by name. Use it when a greeting is asked for.',
    example: ['--arg', 'name=World'],
  },
  {
    id: 'python-network',
    title: 'Python action with network and secrets',
    kind: 'action',
    language: 'python',
    description: 'Looks up the weather of a city. Use it when the weather is asked for.',
    example: ['--arg', 'city=Oslo', '--arg', 'dry_run=true'],
  },
  {
    id: 'python-blobs',
    title: 'Python action that reads and writes blobs',
    kind: 'action',
    language: 'python',
    description: 'Counts the words of a text. Use it when a large text must be measured.',
    example: ['--blob', 'text={{dir}}/resources/example.txt'],
  },
  {
    id: 'node',
    title: 'JavaScript action',
    kind: 'action',
    language: 'node',
    description: 'Greets somebody by name. Use it when a greeting is asked for.',
    example: ['--arg', 'name=World'],
  },
  {
    id: 'typescript',
    title: 'TypeScript action',
    kind: 'action',
    language: 'typescript',
    description: 'Greets somebody by name. Use it when a greeting is asked for.',
    example: ['--arg', 'name=World'],
  },
  {
    id: 'shell',
    title: 'Shell action',
    kind: 'action',
    language: 'shell',
    description: 'Greets somebody by name. Use it when a greeting is asked for.',
    example: ['--arg', 'name=World'],
  },
  {
    id: 'instruction',
    title: 'Instructions without code',
    kind: 'instruction',
    language: undefined,
    description: 'Explains how a task is done step by step. Use it when that task comes up.',
    example: undefined,
  },
]

/** Languages for which a template exists. */
export const TEMPLATE_LANGUAGES: readonly string[] = [
  ...new Set(TEMPLATES.flatMap((each) => each.language ?? [])),
]
