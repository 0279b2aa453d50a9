import { GOVERNED_KINDS, type GovernedKind } from '../../core/policy/policy-request.ts'
import { SkillsError } from '../../errors.ts'
import { nearest } from '../../util/nearest.ts'
import { parseDuration } from '../../util/quantity.ts'

/** A request as a person or a program writes it, its names made one. */
export interface WrittenRequest {
  kind: GovernedKind
  door?: string
  caller?: string
  language?: string
  executable?: string
  repository?: string
  cwd?: string
  timeoutMs?: number
  skills: readonly string[]
  network: readonly string[]
  environment: readonly string[]
}

type Field = keyof WrittenRequest

/** Every name that a field goes by: policy's own, and those of the methods. */
const NAMES: Readonly<Record<Field, readonly string[]>> = {
  kind: ['kind', 'method'],
  door: ['door'],
  caller: ['token', 'caller'],
  language: ['language', 'runtime'],
  executable: ['executable', 'command'],
  repository: ['repository', 'repo', 'repoId'],
  cwd: ['cwd', 'relativeCwd'],
  timeoutMs: ['timeout', 'timeoutMs', 'timeout_ms'],
  skills: ['skills', 'skill', 'name', 'mount_skills'],
  network: ['network'],
  environment: ['environment'],
}

/** What methods take as well, and no policy forbids. */
const IGNORED = new Set(
  [
    ['args', 'code', 'stdin', 'queryTerms', 'contextLines', 'maxResponseLines', 'persistOutput'],
    ['outputMode', 'includeDiagnostics', 'detail', 'entrypoint', 'input_blobs', 'jsonrpc', 'id'],
  ].flat(),
)

const KINDS: ReadonlyMap<string, GovernedKind> = new Map([
  ...GOVERNED_KINDS.map((kind) => [kind, kind] as const),
  ['runtime.execute', 'execute'],
  ['sdl.runtime.execute', 'execute'],
])

/** Reads a request; one of JSON-RPC is taken as it is. */
export function readRequest(text: string): WrittenRequest {
  const given = collect(parse(text))
  const skills = asTexts('skills', given.get('skills'))
  const timeoutMs = asTimeout(given.get('timeoutMs'))
  const request: WrittenRequest = {
    kind: kindOf(given.get('kind'), skills),
    skills,
    network: asTexts('network', given.get('network')),
    environment: asTexts('environment', given.get('environment')),
    ...(timeoutMs !== undefined && { timeoutMs }),
  }
  for (const field of TEXT_FIELDS) {
    const value = given.get(field)
    if (value === undefined || value === null) continue
    if (typeof value !== 'string') throw invalid(`"${field}" is ${show(value)}, expected a text`)
    request[field] = value
  }
  return request
}

const TEXT_FIELDS = ['door', 'caller', 'language', 'executable', 'repository', 'cwd'] as const

function parse(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid(`The request is no JSON: ${(error as Error).message}`)
  }
  return asObject('The request', value)
}

function asObject(what: string, value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw invalid(`${what} is ${show(value)}, expected an object`)
}

function collect({ params, ...outer }: Record<string, unknown>): Map<Field, unknown> {
  const { limits, version, ...inner } = {
    ...outer,
    ...(params === undefined ? {} : asObject('"params"', params)),
  } as Record<string, unknown>
  const given = new Map<Field, unknown>()
  if (limits !== undefined) given.set('timeoutMs', asObject('"limits"', limits)['timeout_ms'])
  for (const [name, value] of Object.entries(inner)) {
    const field = fieldOf(name)
    if (field !== undefined) given.set(field, value)
  }
  const skill = given.get('skills')
  if (typeof skill === 'string' && typeof version === 'string') {
    given.set('skills', `${skill}@${version}`)
  }
  return given
}

function fieldOf(name: string): Field | undefined {
  if (IGNORED.has(name)) return undefined
  const found = (Object.keys(NAMES) as Field[]).find((field) => NAMES[field].includes(name))
  if (found !== undefined) return found
  const meant = nearest(name, Object.values(NAMES).flat())
  throw invalid(
    `Unknown field "${name}"`,
    meant === undefined ? undefined : `Did you mean "${meant}"?`,
  )
}

function kindOf(value: unknown, skills: readonly string[]): GovernedKind {
  if (value === undefined) return skills.length > 0 ? 'execute_skill' : 'execute'
  const word = typeof value === 'string' ? value : show(value)
  const kind = KINDS.get(word)
  if (kind !== undefined) return kind
  const meant = nearest(word, KINDS.keys())
  const hint = meant === undefined ? undefined : `Did you mean "${meant}"?`
  throw invalid(`"kind" is ${show(value)}, expected one of ${[...KINDS.keys()].join(', ')}`, hint)
}

function asTexts(field: Field, value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  const list = Array.isArray(value) ? value : [value]
  if (list.every((each) => typeof each === 'string')) return list
  throw invalid(`"${field}" is ${show(value)}, expected a list of texts`)
}

function asTimeout(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  const isWord = typeof value === 'string' || typeof value === 'number'
  const ms = isWord ? parseDuration(String(value)) : undefined
  if (ms !== undefined && ms > 0) return ms
  throw invalid(`"timeout" is ${show(value)}, expected milliseconds or a text such as "30s"`)
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing'
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

function invalid(message: string, hint?: string): SkillsError {
  return new SkillsError('usage/invalid', message, {
    hint:
      hint ?? 'Write for example \'{"runtime": "python", "repoId": "app", "timeoutMs": 60000}\'',
  })
}
