import { createSender, type Reply, type SendOptions, type RuntimeTarget } from './send-request.ts'
import { createLazyProbe, type ProbeSkill } from './probe.ts'
import { RequirementFailed, assertThat, formatValue } from './assertions.ts'

export type ResultFields = Record<string, unknown>

/** The error object of a first-level error. */
export interface RpcErrorFields {
  code: unknown
  message: unknown
  data: unknown
}

/** Sends the requests of checks to the runtime under test. */
export interface ConformanceSession {
  readonly url: URL
  /** Violations by the responses to the calls so far. */
  readonly violations: Readonly<ResponseViolations>
  /** Sends a raw body to the endpoint or to a path next to it. */
  send(body: string | undefined, options?: SendOptions): Promise<Reply>
  /** Calls a method and returns the raw response. */
  call(method: string, params?: object): Promise<Reply>
  /** Calls a method and throws unless it returns a result. */
  expectResult(method: string, params?: object): Promise<ResultFields>
  /** Calls a method and throws unless it returns an error. */
  expectError(method: string, params: object): Promise<RpcErrorFields>
  /** Runs code and returns the result of a completed or failed run. */
  runCode(code: string, extraParams?: object): Promise<ResultFields>
  /** Runs code and returns its output; throws unless the run completes. */
  expectOutput(code: string, extraParams?: object): Promise<unknown>
  /** Returns a skill that is safe to execute. Throws RequirementUntested. */
  getProbe(): Promise<ProbeSkill>
}

const MAX_TRIES = 5
/** Total time to wait for a busy runtime. */
const MAX_BUSY_WAIT_MS = 60_000

/** Sends nothing until a check does. */
export function openConformanceSession(
  target: RuntimeTarget,
  patienceMs: number = MAX_BUSY_WAIT_MS,
): ConformanceSession {
  const exchange = createSender(target)
  const violations: ResponseViolations = { envelope: undefined, contentType: undefined }
  let count = 0
  let waitBudgetMs = patienceMs
  const call = async (method: string, params: object = {}) => {
    for (let tries = 1; ; tries++) {
      const id = `check-${++count}`
      const reply = await exchange(JSON.stringify({ jsonrpc: '2.0', id, method, params }), {})
      const wait = readRetryDelay(reply)
      if (wait === undefined || tries >= MAX_TRIES || waitBudgetMs < wait) {
        inspectResponse(violations, { method, id }, reply)
        return reply
      }
      waitBudgetMs -= wait
      await new Promise((resolve) => setTimeout(resolve, wait))
    }
  }
  const session: ConformanceSession = {
    url: target.url,
    violations,
    send: async (body, options = {}) => await exchange(body, options),
    call,
    expectResult: async (method, params) => requireResult(method, await call(method, params)),
    expectError: async (method, params) => requireError(method, params, await call(method, params)),
    async runCode(code, extraParams = {}) {
      return await session.expectResult('run_code', { language: 'python', code, ...extraParams })
    },
    async expectOutput(code, extraParams) {
      const result = await session.runCode(code, extraParams)
      if (result['status'] === 'completed') return result['output']
      throw new RequirementFailed(
        `Expected the run to complete, got ${formatValue(result['error'] ?? result)}`,
      )
    },
    getProbe: createLazyProbe(call),
  }
  return session
}

/** Delay in milliseconds after which a busy runtime accepts a retry. */
function readRetryDelay({ json }: Reply): number | undefined {
  const { error } = (json ?? {}) as {
    error?: { code?: unknown; data?: { retry_after_ms?: unknown } }
  }
  const wait = error?.data?.retry_after_ms
  return typeof wait === 'number' && wait >= 0 && wait <= 10_000 ? wait + 1 : undefined
}

function requireResult(method: string, { json, status, text }: Reply): ResultFields {
  const result = json?.['result']
  if (typeof result === 'object' && result !== null) return result as ResultFields
  const received = json?.['error'] === undefined ? text || `HTTP status ${status}` : json['error']
  throw new RequirementFailed(`Expected ${method} to return a result, got ${formatValue(received)}`)
}

// eslint-disable-next-line max-params -- a method, its parameters and its response
function requireError(method: string, params: object, { json, text }: Reply): RpcErrorFields {
  const error = json?.['error']
  if (typeof error === 'object' && error !== null) return error as RpcErrorFields
  const description = `${method} with ${formatValue(params)}`
  throw new RequirementFailed(
    `Expected ${description} to be refused, got ${formatValue(json?.['result'] ?? text)}`,
  )
}

export function assertErrorCode(refusal: RpcErrorFields, code: number): void {
  assertThat(
    refusal.code === code,
    `Expected the error code ${code}, got ${formatValue(refusal.code)} (${formatValue(refusal.message)})`,
  )
}

/** Asserts a non-empty string. */
export function assertText(value: unknown, name: string): asserts value is string {
  assertThat(
    typeof value === 'string' && value !== '',
    `Expected text in ${name}, got ${formatValue(value)}`,
  )
}

/** Violations of the transport by responses to ordinary calls, the first of each kind. */
interface ResponseViolations {
  envelope: string | undefined
  contentType: string | undefined
}

/** Adds what one response violates. */
function inspectResponse(
  found: ResponseViolations,
  sent: { method: string; id: string },
  reply: Reply,
): void {
  const problem = findEnvelopeProblem(reply, sent.id)
  if (problem !== undefined) found.envelope ??= `${sent.method}: ${problem}`
  const type = reply.headers.get('content-type')
  if (!/^application\/json *(?:;|$)/i.test(type ?? '')) {
    found.contentType ??= `${sent.method}: expected application/json, got ${formatValue(type)}`
  }
}

function findEnvelopeProblem({ json, text, status }: Reply, id: string): string | undefined {
  if (json === undefined) return `expected a JSON object, got ${formatValue(text)}`
  if (status !== 200) return `expected HTTP status 200, got ${status}`
  if (json['jsonrpc'] !== '2.0') {
    return `expected "jsonrpc": "2.0", got ${formatValue(json['jsonrpc'])}`
  }
  if (json['id'] !== id) return `expected the id ${formatValue(id)}, got ${formatValue(json['id'])}`
  if ('result' in json === 'error' in json) {
    return `expected either a result or an error, got ${formatValue(Object.keys(json))}`
  }
  if ('result' in json) return undefined
  const { code, message } = (json['error'] ?? {}) as { code?: unknown; message?: unknown }
  if (Number.isInteger(code) && typeof message === 'string' && message !== '') return undefined
  return `expected an error with an integer code and a message, got ${formatValue(json['error'])}`
}
