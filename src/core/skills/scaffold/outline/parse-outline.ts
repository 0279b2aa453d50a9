import { SkillsError } from '../../../../errors.ts'
import { INPUT_TYPES, type InputType } from '../../manifest/manifest.ts'
import { parseNetworkEntry } from '../../manifest/network-entry.ts'
import { findSecretNameProblem } from '../../manifest/secret-name.ts'
import { deriveTitle } from '../skill-name.ts'
import { EMPTY_OUTLINE, type Outline, type OutlineField } from './outline.ts'

/** Values of the options that describe the interface of a new skill, as written. */
export interface OutlineTexts {
  inputs: readonly string[]
  results: readonly string[]
  network: readonly string[]
  secrets: readonly string[]
}

/** Syntax of an input and of a result, for messages. */
export const FIELD_SYNTAX = 'name:type=description'

const FIELD_NAME = /^[a-z][a-z0-9_]{0,63}$/
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** Result that every generated skill returns. */
const SUMMARY = 'summary'

/** Parses the options; undefined without any of them. */
export function parseOutline(texts: OutlineTexts): Outline | undefined {
  if (Object.values(texts).every((list: readonly string[]) => list.length === 0)) return undefined
  const inputs: OutlineField[] = []
  for (const text of texts.inputs) inputs.push(parseInput(text, inputs))
  const results: OutlineField[] = []
  for (const text of texts.results) results.push(parseResult(text, results))
  const network = texts.network.map(checkHost)
  const secrets = texts.secrets.map(checkSecret)
  return {
    ...EMPTY_OUTLINE,
    inputs,
    results,
    network: [...new Set(network)],
    secrets: [...new Set(secrets)],
  }
}

/** Parses an input, such as `city:string=Name of the city`, `days?:integer` or `text`. */
export function parseInput(text: string, before: readonly OutlineField[] = []): OutlineField {
  return parseField(text, { option: '--input', types: INPUT_TYPES, before })
}

/** Parses a result, such as `celsius:number=Temperature`. */
export function parseResult(text: string, before: readonly OutlineField[] = []): OutlineField {
  const types = INPUT_TYPES.filter((type) => type !== 'any')
  const field = parseField(text, { option: '--result', types, before })
  if (!field.required) throw fieldError('--result', text, 'a result cannot be optional')
  if (field.name === SUMMARY) throw fieldError('--result', text, '"summary" is always written')
  return field
}

interface FieldRules {
  option: string
  types: readonly InputType[]
  before: readonly OutlineField[]
}

function parseField(text: string, { option, types, before }: FieldRules): OutlineField {
  const [, name = '', optional, type = 'string', description] =
    /^\s*([^:=?\s]*)(\?)?(?:\s*:\s*([^=\s]*))?\s*(?:=(.*))?$/s.exec(text) ?? []
  if (!FIELD_NAME.test(name)) {
    throw fieldError(option, text, 'its name is not lower-case letters, digits and underscores')
  }
  const known = types.find((each) => each === type)
  if (!known) throw fieldError(option, text, `its type is none of ${types.join(', ')}`)
  if (before.some((each) => each.name === name)) {
    throw fieldError(option, text, 'its name is already used')
  }
  const meaning = description?.trim() || deriveTitle(name)
  if (CONTROL.test(meaning)) throw fieldError(option, text, 'its description is not one line')
  return { name, type: known, description: meaning, required: optional === undefined }
}

function fieldError(option: string, text: string, reason: string): SkillsError {
  return new SkillsError(
    'usage/invalid',
    `${option} is ${JSON.stringify(text)}, expected ${FIELD_SYNTAX}: ${reason}`,
    { hint: `Write for example: ${option} "city:string=Name of the city"` },
  )
}

/** Returns a host in the form of permissions.network, or throws. */
export function checkHost(text: string): string {
  const entry = parseNetworkEntry(text)
  if (!('problem' in entry)) return text.replace(/\/$/, '')
  throw new SkillsError(
    'usage/invalid',
    `--network is ${JSON.stringify(text)}, expected a host: ${entry.problem}`,
    { hint: `Write for example: --network ${entry.suggestion ?? 'https://api.example.com'}` },
  )
}

/** Returns the name of a secret, or throws. */
export function checkSecret(text: string): string {
  const problem = findSecretNameProblem(text)
  if (problem === undefined) return text
  throw new SkillsError(
    'usage/invalid',
    `--secret is ${JSON.stringify(text)}, expected the name of an environment variable: it ${problem}`,
    { hint: 'Write for example: --secret CRM_API_KEY' },
  )
}
