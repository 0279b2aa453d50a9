import type { InputType } from '../../manifest/manifest.ts'
import { completeOutline, type Outline, type OutlineField } from './outline.ts'

const PYTHON_TYPES: Readonly<Record<InputType, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  object: 'dict[str, Any]',
  array: 'list[Any]',
  blob: 'str',
  any: 'Any',
}

const TYPESCRIPT_TYPES: Readonly<Record<InputType, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  object: 'Record<string, unknown>',
  array: 'unknown[]',
  blob: 'string',
  any: 'unknown',
}

/**
 * Type of the arguments in runtime.pyi. Optional inputs have a class of their own, because
 * `NotRequired` needs Python 3.11. The functional syntax allows names that are keywords.
 */
export function createPythonInputs(outline: Outline): string {
  const { inputs } = completeOutline(outline)
  const required = inputs.filter((field) => field.required)
  const optional = inputs.filter((field) => !field.required)
  const comment = '# Arguments of main: the inputs of skill.toml.'
  if (optional.length === 0) return [comment, createTypedDict('Inputs', required)].join('\n')
  return [
    comment,
    createTypedDict('_Required', required),
    createTypedDict('_Optional', optional, ', total=False'),
    '',
    'class Inputs(_Required, _Optional): ...',
  ].join('\n')
}

function createTypedDict(name: string, fields: readonly OutlineField[], total = ''): string {
  const members = fields.map((field) => `    "${field.name}": ${PYTHON_TYPES[field.type]},\n`)
  const body = members.length === 0 ? '{}' : `{\n${members.join('')}}`
  return `${name} = TypedDict("${name}", ${body}${total})`
}

/** Members of the type of the arguments, for an interface of TypeScript. */
export function createTypeScriptMembers(outline: Outline): string[] {
  return completeOutline(outline).inputs.flatMap(({ name, type, required, description }) => [
    `/** ${description.replaceAll('*/', String.raw`*\/`)} */`,
    `${name}${required ? '' : '?'}: ${TYPESCRIPT_TYPES[type]}`,
  ])
}

/** The same type in one line, for a comment of JSDoc. */
export function createJsDocType(outline: Outline): string {
  const members = completeOutline(outline).inputs.map(
    ({ name, type, required }) => `${name}${required ? '' : '?'}: ${TYPESCRIPT_TYPES[type]}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
