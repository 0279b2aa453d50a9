import { completeOutline, type Outline, type OutlineField } from './outline.ts'

/** File of a generated skill that the example call passes as a blob. */
export const EXAMPLE_BLOB = 'resources/example.txt'

/** Arguments of the example call, without blobs: all required inputs, and those with a value. */
export function listExampleValues(outline: Outline): Record<string, unknown> {
  const fields = listExampleFields(outline).filter(({ type }) => type !== 'blob')
  return Object.fromEntries(fields.map((field) => [field.name, createExampleValue(field)]))
}

/** Files of the example call by the names of their arguments. */
export function listExampleBlobs(outline: Outline): Record<string, string> {
  const blobs = listExampleFields(outline).filter(({ type }) => type === 'blob')
  return Object.fromEntries(blobs.map(({ name }) => [name, EXAMPLE_BLOB]))
}

/** Arguments of `skills exec` for the example call of a skill in a folder. */
export function createExampleArguments(outline: Outline, dir: string): string[] {
  return listExampleFields(outline).flatMap((field) => {
    const { name, type } = field
    if (type === 'blob') return ['--blob', `${name}=${dir}/${EXAMPLE_BLOB}`]
    const value = createExampleValue(field)
    return ['--arg', `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`]
  })
}

function listExampleFields(outline: Outline): OutlineField[] {
  const { inputs } = completeOutline(outline)
  return inputs.filter(({ required, example }) => required || example !== undefined)
}

function createExampleValue({ name, type, example }: OutlineField): unknown {
  if (example !== undefined) return example
  switch (type) {
    case 'integer':
      return 1
    case 'number':
      return 1.5
    case 'boolean':
      return true
    case 'object':
      return { key: 'value' }
    case 'array':
      return ['item']
    default:
      return name === 'name' ? 'World' : `example ${name.replaceAll('_', ' ')}`
  }
}
