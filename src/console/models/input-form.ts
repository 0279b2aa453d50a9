/** An input as `inspect_skill` describes it. */
export interface FormInput {
  name: string
  type: string
  description: string | null
  required: boolean
  default?: unknown
  enum?: readonly unknown[]
}

/** Text of each field, by name; an absent field is not passed. */
export type FieldTexts = Readonly<Record<string, string>>

export interface FormArguments {
  args: Record<string, unknown>
  /** Sentences about fields that have no valid value, by name. */
  problems: Readonly<Record<string, string>>
}

/** Reads the fields of a form. Fields without a text, and texts of no input, are left out. */
export function readFields(inputs: readonly FormInput[], texts: FieldTexts): FormArguments {
  const args: Record<string, unknown> = {}
  const problems: Record<string, string> = {}
  for (const input of inputs) {
    const text = Object.hasOwn(texts, input.name) ? texts[input.name] : undefined
    if (text === undefined) {
      if (input.required) problems[input.name] = 'A value is required'
      continue
    }
    const parsed = parseFieldText(input, text)
    if ('problem' in parsed) problems[input.name] = parsed.problem
    else setOwn(args, input.name, parsed.value)
  }
  return { args, problems }
}

/** Fields that show arguments. Arguments of no input stay in the JSON only. */
export function writeFields(inputs: readonly FormInput[], args: object): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const { name, type } of inputs) {
    if (!Object.hasOwn(args, name)) continue
    const value = (args as Record<string, unknown>)[name]
    const isPlain = typeof value === 'string' && type !== 'any'
    setOwn(texts, name, isPlain ? value : formatJson(value))
  }
  return texts
}

/** Fields of a new form: the defaults. */
export function writeDefaults(inputs: readonly FormInput[]): Record<string, string> {
  const defaults: Record<string, unknown> = {}
  for (const input of inputs) {
    if (input.default !== undefined) setOwn(defaults, input.name, input.default)
  }
  return writeFields(inputs, defaults)
}

/** Parses the JSON of all arguments. */
export function parseArguments(text: string): { args: object } | { problem: string } {
  try {
    const args: unknown = JSON.parse(text)
    if (typeof args === 'object' && args !== null && !Array.isArray(args)) return { args }
    return { problem: 'Expected a JSON object, such as {"name": "Ada"}' }
  } catch (thrown) {
    return { problem: `It is not valid JSON: ${(thrown as Error).message}` }
  }
}

export function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? ''
}

type ParsedField = { value: unknown } | { problem: string }

function parseFieldText(input: FormInput, text: string): ParsedField {
  if (input.enum) {
    const found = input.enum.find((each) => formatChoice(each) === text)
    if (found !== undefined) return { value: found }
    return { problem: `Expected one of ${input.enum.map(formatChoice).join(', ')}` }
  }
  const parse = Object.hasOwn(PARSERS, input.type) ? PARSERS[input.type] : undefined
  return parse ? parse(text) : parseAny(text)
}

/** A choice of an enumeration as text. */
export function formatChoice(value: unknown): string {
  return typeof value === 'string' ? value : formatJson(value)
}

const PARSERS: Readonly<Record<string, (text: string) => ParsedField>> = {
  string: (text) => ({ value: text }),
  blob: (text) =>
    text === '' ? { problem: 'Choose a file, or enter the id of a blob' } : { value: text },
  boolean: (text) =>
    text === 'true' || text === 'false'
      ? { value: text === 'true' }
      : { problem: 'Expected true or false' },
  integer: (text) => {
    const value = Number(text)
    const isWhole = /^\s*[+-]?\d+\s*$/.test(text) && Number.isSafeInteger(value)
    return isWhole ? { value } : { problem: 'Expected a whole number' }
  },
  number: (text) => {
    const value = Number(text)
    return text.trim() !== '' && Number.isFinite(value)
      ? { value }
      : { problem: 'Expected a number' }
  },
  object: (text) => {
    const parsed = parseArguments(text)
    return 'args' in parsed ? { value: parsed.args } : parsed
  },
  array: (text) => {
    const parsed = parseAny(text)
    if ('value' in parsed && !Array.isArray(parsed.value))
      return { problem: 'Expected a JSON list, such as [1, 2]' }
    return parsed
  },
}

function parseAny(text: string): ParsedField {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (thrown) {
    return { problem: `It is not valid JSON: ${(thrown as Error).message}` }
  }
}

/** Sets a member also if its name is `__proto__`. */
function setOwn(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}
