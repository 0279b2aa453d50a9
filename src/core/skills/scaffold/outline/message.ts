import type { Outline } from './outline.ts'

/** File of a generated skill with the text of its summary. */
export const MESSAGE_FILE = 'resources/message.txt'

const SCALARS = new Set(['string', 'integer', 'number', 'boolean'])

/** Names of the inputs that the text of a summary can contain. */
export function listMessageInputs({ inputs }: Outline): string[] {
  return inputs
    .filter(({ required, type }) => required && SCALARS.has(type))
    .map(({ name }) => name)
}

/** Text of the summary, with the names of inputs in braces. */
export function createMessage(name: string, outline: Outline): string {
  const names = listMessageInputs(outline)
  if (names.length === 1 && names[0] === 'name') return 'Hello, {name}!'
  const values = names.map((each) => `${each}={${each}}`)
  return values.length === 0 ? `${name} has run` : `${name} got ${values.join(', ')}`
}
