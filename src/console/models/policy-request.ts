import type { CheckPolicyParams } from '../../core/methods/check-policy/definition.ts'

/** Fields of the form, by their names in the address. */
export const REQUEST_FIELDS = [
  'kind',
  'door',
  'caller',
  'skills',
  'language',
  'executable',
  'repository',
  'cwd',
  'timeout',
  'network',
  'environment',
] as const
export type PolicyFormField = (typeof REQUEST_FIELDS)[number]

export type PolicyForm = Readonly<Partial<Record<PolicyFormField, string>>>

/** Reads the form from an address. */
export function readPolicyForm(search: URLSearchParams): PolicyForm {
  const entries = REQUEST_FIELDS.flatMap((field) => {
    const text = search.get(field)
    return text === null || text === '' ? [] : [[field, text] as const]
  })
  return Object.fromEntries(entries)
}

/** Converts a form to the parameters of `check_policy`, or names the field that cannot be read. */
export function toPolicyRequest(
  form: PolicyForm,
): { params: CheckPolicyParams } | { field: PolicyFormField; problem: string } {
  const { timeout } = form
  const seconds = timeout === undefined ? undefined : Number(timeout)
  if (seconds !== undefined && !(Number.isFinite(seconds) && seconds >= 0.001)) {
    return { field: 'timeout', problem: 'Write a number of seconds above 0' }
  }
  const params: Record<string, unknown> = {}
  for (const field of ['kind', 'door', 'caller', 'language', 'executable'] as const) {
    if (form[field] !== undefined) params[field] = form[field].trim()
  }
  for (const field of ['repository', 'cwd'] as const) {
    if (form[field] !== undefined) params[field] = form[field].trim()
  }
  for (const field of ['skills', 'network', 'environment'] as const) {
    if (form[field] !== undefined) params[field] = splitList(form[field])
  }
  if (seconds !== undefined) params['timeout_ms'] = Math.round(seconds * 1000)
  return { params }
}

function splitList(text: string): string[] {
  return text.split(/[\s,]+/).filter((each) => each !== '')
}

/** The request of a record of the audit log, as a path of the page that tries it again. */
export function formatPolicyPath(record: {
  kind: string
  who: { door: string; caller: string }
  request: {
    skills: readonly string[]
    language?: string
    repository?: string
    cwd?: string
    timeout_ms: number | null
    network: readonly string[]
    environment: readonly string[]
  }
}): string {
  const { kind, who, request } = record
  const form: PolicyForm = {
    kind,
    door: who.door,
    caller: who.caller,
    skills: request.skills.join(' '),
    ...(request.language !== undefined && { language: request.language }),
    ...(request.repository !== undefined && { repository: request.repository }),
    ...(request.cwd !== undefined && { cwd: request.cwd }),
    ...(request.timeout_ms !== null && { timeout: String(request.timeout_ms / 1000) }),
    network: request.network.join(' '),
    environment: request.environment.join(' '),
  }
  return formatFormPath(form)
}

/** The path of the page that tries the request of a form. */
export function formatFormPath(form: PolicyForm): string {
  const search = new URLSearchParams()
  for (const [field, text] of Object.entries(form)) if (text !== '') search.set(field, text)
  return `/policy?${search}`
}

/** The same request as a command line. */
export function formatPolicyCommand(params: CheckPolicyParams, url: string): string {
  const { timeout_ms: timeoutMs, ...rest } = params
  const request = { ...rest, ...(timeoutMs !== undefined && { timeout: timeoutMs }) }
  const json = JSON.stringify(request).replaceAll("'", `'\\''`)
  return `skills policy check '${json}' --url ${url}`
}
