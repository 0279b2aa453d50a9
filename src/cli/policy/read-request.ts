import { POLICY_RUN_KINDS, type PolicyRunKind } from '../../core/policy/policy-request.ts'
import { SkillsError } from '../../errors.ts'
import { findNearest } from '../../util/find-nearest.ts'
import { parseDuration } from '../../util/quantity.ts'

/** A request from a user or a program, with normalised names. */
export interface PolicyRequestInput {
  kind: PolicyRunKind
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

type RequestField = keyof PolicyRequestInput

/** Names of each field: the policy's own and those of the methods. */
const FIELD_NAMES: Readonly<Record<RequestField, readonly string[]>> = {
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

/** Parameters of methods that no policy restricts. */
const IGNORED_FIELDS = new Set(
  [
    ['args', 'code', 'stdin', 'queryTerms', 'contextLines', 'maxResponseLines', 'persistOutput'],
    ['outputMode', 'includeDiagnostics', 'detail', 'entrypoint', 'input_blobs', 'jsonrpc', 'id'],
  ].flat(),
)

const KINDS_BY_NAME: ReadonlyMap<string, PolicyRunKind> = new Map([
  ...POLICY_RUN_KINDS.map((kind) => [kind, kind] as const),
  ['runtime.execute', 'execute'],
  ['sdl.runtime.execute', 'execute'],
])

/** Reads a request; a JSON-RPC request is accepted as is. */
export function readPolicyRequest(text: string): PolicyRequestInput {
  const fields = collectFields(parseRequestText(text))
  const skills = requireTexts('skills', fields.get('skills'))
  const timeoutMs = parseRequestTimeout(fields.get('timeoutMs'))
  const request: PolicyRequestInput = {
    kind: resolveRequestKind(fields.get('kind'), skills),
    skills,
    network: requireTexts('network', fields.get('network')),
    environment: requireTexts('environment', fields.get('environment')),
    ...(timeoutMs !== undefined && { timeoutMs }),
  }
  for (const field of TEXT_FIELDS) {
    const value = fields.get(field)
    if (value === undefined || value === null) continue
    if (typeof value !== 'string')
      throw invalidRequestError(`"${field}" is ${formatValue(value)}, expected a string`)
    request[field] = value
  }
  return request
}

const TEXT_FIELDS = ['door', 'caller', 'language', 'executable', 'repository', 'cwd'] as const

function parseRequestText(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalidRequestError(`The request is not valid JSON: ${(error as Error).message}`)
  }
  return requireObject('The request', value)
}

function requireObject(label: string, value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw invalidRequestError(`${label} is ${formatValue(value)}, expected an object`)
}

function collectFields({ params, ...outer }: Record<string, unknown>): Map<RequestField, unknown> {
  const { limits, version, ...inner } = {
    ...outer,
    ...(params === undefined ? {} : requireObject('"params"', params)),
  } as Record<string, unknown>
  const fields = new Map<RequestField, unknown>()
  if (limits !== undefined) fields.set('timeoutMs', requireObject('"limits"', limits)['timeout_ms'])
  for (const [name, value] of Object.entries(inner)) {
    const field = findField(name)
    if (field !== undefined) fields.set(field, value)
  }
  const skill = fields.get('skills')
  if (typeof skill === 'string' && typeof version === 'string') {
    fields.set('skills', `${skill}@${version}`)
  }
  return fields
}

function findField(name: string): RequestField | undefined {
  if (IGNORED_FIELDS.has(name)) return undefined
  const found = (Object.keys(FIELD_NAMES) as RequestField[]).find((field) =>
    FIELD_NAMES[field].includes(name),
  )
  if (found !== undefined) return found
  const suggestion = findNearest(name, Object.values(FIELD_NAMES).flat())
  throw invalidRequestError(
    `Unknown field "${name}"`,
    suggestion === undefined ? undefined : `Did you mean "${suggestion}"?`,
  )
}

function resolveRequestKind(value: unknown, skills: readonly string[]): PolicyRunKind {
  if (value === undefined) return skills.length > 0 ? 'execute_skill' : 'execute'
  const kindName = typeof value === 'string' ? value : formatValue(value)
  const kind = KINDS_BY_NAME.get(kindName)
  if (kind !== undefined) return kind
  const suggestion = findNearest(kindName, KINDS_BY_NAME.keys())
  const hint = suggestion === undefined ? undefined : `Did you mean "${suggestion}"?`
  throw invalidRequestError(
    `"kind" is ${formatValue(value)}, expected one of ${[...KINDS_BY_NAME.keys()].join(', ')}`,
    hint,
  )
}

function requireTexts(field: RequestField, value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  const list = Array.isArray(value) ? value : [value]
  if (list.every((each) => typeof each === 'string')) return list
  throw invalidRequestError(`"${field}" is ${formatValue(value)}, expected a list of strings`)
}

function parseRequestTimeout(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  const isWord = typeof value === 'string' || typeof value === 'number'
  const ms = isWord ? parseDuration(String(value)) : undefined
  if (ms !== undefined && ms > 0) return ms
  throw invalidRequestError(
    `"timeout" is ${formatValue(value)}, expected milliseconds or a string such as "30s"`,
  )
}

function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing'
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

function invalidRequestError(message: string, hint?: string): SkillsError {
  return new SkillsError('usage/invalid', message, {
    hint:
      hint ?? 'Write for example \'{"runtime": "python", "repoId": "app", "timeoutMs": 60000}\'',
  })
}
