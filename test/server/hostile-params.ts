/** A parameter of a method, as `rpc.discover` describes it. */
export interface ParamSchema {
  type?: string | readonly string[]
  enum?: readonly unknown[]
  items?: ParamSchema
  properties?: Readonly<Record<string, ParamSchema>>
  required?: readonly string[]
  anyOf?: readonly ParamSchema[]
}

export interface DescribedMethod {
  name: string
  params: readonly { name: string; required?: boolean; schema: ParamSchema }[]
}

/** Characters of a hostile text. */
const SIZE = 128 * 1024

/** Nearly as many values as a request may have. */
const ENTRIES = 45_000

const fill = (text: string, size = SIZE) => text.repeat(Math.ceil(size / text.length))

/** Texts that some readers of patterns, commands, markup and code read slowly. */
const TEXTS: readonly string[] = [
  fill('a\n'),
  fill(`${'1'.repeat(149)}a`),
  `${fill('(a|b|ab)*', 2048)}c`,
  fill('{a,b}**/', 4096),
  fill('<a['),
  fill('* > [a](b "_*`', 20_000),
  fill('"\\$(a;b|'),
  fill('[{"a":'),
  fill('\u200b\u001b[token=sk-'),
]

type Values = Readonly<Record<string, unknown>>

/**
 * Parameters of a method with one hostile value each, besides valid ones: `own`, and samples for
 * others that are required.
 */
export function* listHostileParams(
  { params }: DescribedMethod,
  samples: Values,
  own: Values = {},
): Generator<Record<string, unknown>> {
  const required = params.filter(
    ({ name, required: isRequired }) => isRequired === true && !(name in own),
  )
  const base: Values = {
    ...Object.fromEntries(
      required.map(({ name, schema }) => [name, samples[name] ?? createSample(schema)]),
    ),
    ...own,
  }
  yield base
  for (const { name, schema } of params) {
    for (const value of listHostileValues(schema, samples[name])) yield { ...base, [name]: value }
  }
}

function createSample(schema: ParamSchema): unknown {
  const { enum: choices, anyOf } = schema
  if (anyOf?.[0]) return createSample(anyOf[0])
  if (choices) return choices[0]
  const type = [schema.type].flat()[0]
  if (type === 'array') return []
  if (type === 'object') return createFields(schema)
  if (type === 'integer' || type === 'number') return 1
  return type === 'boolean' ? true : 'a'
}

function createFields({ properties = {}, required = [] }: ParamSchema): Record<string, unknown> {
  return Object.fromEntries(required.map((name) => [name, createSample(properties[name] ?? {})]))
}

function* listHostileValues(schema: ParamSchema, sample: unknown): Generator {
  for (const each of schema.anyOf ?? []) yield* listHostileValues(each, sample)
  if (schema.enum) return
  const types = [schema.type].flat()
  if (types.includes('string')) yield* listTexts(sample)
  if (types.includes('array')) yield* listArrays(schema, sample)
  if (types.includes('object') || types.includes(undefined)) yield* OBJECTS
  for (const [name, each] of Object.entries(schema.properties ?? {})) {
    const fields = createFields(schema)
    for (const value of listHostileValues(each, undefined)) yield { ...fields, [name]: value }
  }
}

function* listTexts(sample: unknown): Generator<string> {
  yield* TEXTS
  if (typeof sample === 'string' && /\W$/.test(sample)) yield* TEXTS.map((text) => sample + text)
}

function* listArrays({ items = {} }: ParamSchema, sample: unknown): Generator<unknown[]> {
  const item = Array.isArray(sample) ? (sample as unknown[])[0] : createSample(items)
  yield Array.from({ length: ENTRIES }, () => item)
  for (const value of listHostileValues(items, undefined)) {
    yield [value]
    yield Array.from({ length: 4 }, () => value)
  }
}

function nest(depth: number): unknown {
  let value: unknown = 1
  for (let left = depth; left > 0; left--) value = { a: [value] }
  return value
}

const OBJECTS: readonly unknown[] = [
  nest(900),
  Object.fromEntries(Array.from({ length: ENTRIES }, (_, at) => [`key${at}`, at])),
]
