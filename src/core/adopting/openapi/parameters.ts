import type { InputType, Plain } from '../../skills/manifest/manifest.ts'
import { cleanText } from '../script-interface.ts'
import type { AdoptedInput } from '../to-inputs.ts'
import { type ApiObject, resolveRef, toList, toObject, toText } from './read-document.ts'

/** How an input becomes a part of a request; the keys are those of code/operations.json. */
export interface ApiArgument {
  input: string
  name: string
  in: 'path' | 'query' | 'header' | 'body'
  style: string
  explode: boolean
  required: boolean
  /** Media type of a body. */
  media: string
}

export interface ApiInput {
  argument: ApiArgument
  input: AdoptedInput
}

const BODIES =
  /^application\/(?:[\w.+-]*\+)?json\b|^application\/x-www-form-urlencoded$|^text\/plain\b/i
const STYLES: Readonly<Record<string, readonly string[]>> = {
  path: ['simple'],
  header: ['simple'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
}
/** Headers that the client writes itself. */
const OWN_HEADERS =
  /^(?:accept|content-type|content-length|authorization|host|cookie|connection|transfer-encoding)$/i

/** The input of a parameter; a text with the reason for which it cannot be passed. */
export function readParameter(
  document: ApiObject,
  written: unknown,
  place: string,
): ApiInput | string | undefined {
  const parameter = resolveRef(document, written)
  const name = toText(parameter['name'])
  const at = toText(parameter['in'])
  const required = parameter['required'] === true || at === 'path'
  if (at === 'header' && OWN_HEADERS.test(name)) return undefined
  const reason = findObstacle(parameter, name, at)
  if (reason !== undefined) return required ? reason : undefined
  const schema = resolveRef(document, parameter['schema'])
  const style = toText(parameter['style']) || (STYLES[at]?.[0] as string)
  const explode =
    typeof parameter['explode'] === 'boolean'
      ? parameter['explode']
      : style === 'form' || style === 'deepObject'
  const input = createName(name)
  const text = cleanText(toText(parameter['description']) || toText(schema['description']), 300)
  return {
    argument: { input, name, in: at as ApiArgument['in'], style, explode, required, media: '' },
    input: {
      name: input,
      ...readSchema(schema),
      description: text || `Parameter ${cleanText(name, 80)}`,
      required,
      place,
      certainty: 'certain',
    },
  }
}

function findObstacle(parameter: ApiObject, name: string, at: string): string | undefined {
  if (at === 'cookie') return `the cookie "${name}" cannot be sent`
  if (!Object.hasOwn(STYLES, at)) return `the parameter "${name}" is in an unknown place`
  if (at === 'header' && !/^[\w-]{1,100}$/.test(name))
    return `"${name}" is not the name of a header`
  if (parameter['content'] !== undefined) return `the parameter "${name}" has a media type`
  const style = toText(parameter['style'])
  if (style === '' || STYLES[at]?.includes(style)) return undefined
  return `the style "${style}" of the parameter "${name}" cannot be sent`
}

function createName(name: string): string {
  const plain = name
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, 60)
  return plain === '' || plain === 'command' ? `value_${plain}`.replace(/_$/, '') : plain
}

/** Type and values of an input. Schemas that are not plain become `any`. */
function readSchema(schema: ApiObject): { type: InputType; enum?: readonly Plain[] } {
  const types = toList(schema['type']).length > 0 ? toList(schema['type']) : [schema['type']]
  const plain = types.filter((each) => each !== 'null')
  const found = plain.length === 1 ? toText(plain[0]) : ''
  const known = ['string', 'integer', 'number', 'boolean', 'object', 'array'] as const
  const guessed = schema['properties'] !== undefined ? 'object' : 'any'
  const type = known.find((each) => each === found) ?? guessed
  const fits = (value: unknown): value is Plain =>
    type === 'integer'
      ? Number.isSafeInteger(value)
      : typeof value === type && typeof value !== 'object'
  const isClean = (value: unknown) =>
    typeof value !== 'string' || (value !== '' && cleanText(value, 300) === value)
  const values = toList(schema['enum']).filter((each) => fits(each) && isClean(each)) as Plain[]
  return { type, ...(values.length > 0 && values.length <= 100 && { enum: values }) }
}

/** The input of a request's body; a text with the reason for which it cannot be sent. */
export function readBody(
  document: ApiObject,
  written: unknown,
  place: string,
): ApiInput | string | undefined {
  if (written === undefined) return undefined
  const body = resolveRef(document, written)
  const content = toObject(body['content'])
  const media = Object.keys(content).find(
    (each) => BODIES.test(each) && /^[\w./+; =-]{1,100}$/.test(each),
  )
  const required = body['required'] === true
  if (media === undefined) {
    const kinds = cleanText(Object.keys(content).join(', '), 100) || 'no media type'
    return required ? `its body is ${kinds}, expected JSON, a form or plain text` : undefined
  }
  const schema = resolveRef(document, toObject(content[media])['schema'])
  const { type } = readSchema(schema)
  const isText = media.toLowerCase().startsWith('text/')
  return {
    argument: {
      input: 'body',
      name: 'body',
      in: 'body',
      style: '',
      explode: false,
      required,
      media,
    },
    input: {
      name: 'body',
      type: isText ? 'string' : type === 'any' && media.includes('form') ? 'object' : type,
      description: describeBody(document, schema, toText(body['description'])),
      required,
      place,
      certainty: 'certain',
    },
  }
}

const MAX_PROPERTIES = 30

function describeBody(document: ApiObject, schema: ApiObject, text: string): string {
  const required = toList(schema['required'])
  const properties = Object.entries(toObject(schema['properties'])).slice(0, MAX_PROPERTIES)
  const names = properties.map(([name, value]) => {
    const { type } = readSchema(resolveRef(document, value))
    return `${name}${required.includes(name) ? '' : '?'}: ${type}`
  })
  const members = names.length > 0 ? ` Properties: ${names.join(', ')}` : ''
  return cleanText(`${text || 'Body of the request.'}${members}`, 800)
}
