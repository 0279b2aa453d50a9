import { createSender, type Reply, type SendOptions, type RuntimeTarget } from './send-request.ts'
import { createLazyProbe, type ProbeSkill } from './probe.ts'
import { RequirementFailed, assertThat, formatValue } from './assertions.ts'

export type ResultFields = Record<string, unknown>

/** An answer of the first level that says no. */
export interface RpcErrorFields {
  code: unknown
  message: unknown
  data: unknown
}

/** How checks talk to the runtime that is looked at. */
export interface ConformanceSession {
  readonly url: URL
  /** Sends a body as it is to the endpoint, or to a path beside it. */
  send(body: string | undefined, how?: SendOptions): Promise<Reply>
  /** One call, its answer as it came. */
  call(method: string, params?: object): Promise<Reply>
  /** The result of a call that has to succeed. */
  expectResult(method: string, params?: object): Promise<ResultFields>
  /** The error of a call that has to be refused. */
  expectError(method: string, params: object): Promise<RpcErrorFields>
  /** The result of running code, whether it completed or failed. */
  runCode(code: string, more?: object): Promise<ResultFields>
  /** What the code returned; it has to complete. */
  expectOutput(code: string, more?: object): Promise<unknown>
  /** A skill that can be executed without doing anything to anybody. Throws Untried. */
  getProbe(): Promise<ProbeSkill>
}

const MAX_TRIES = 5
/** For one that is always busy. */
const MAX_BUSY_WAIT_MS = 60_000

/** Opens a session. Nothing is sent before it is asked for. */
export function openConformanceSession(
  target: RuntimeTarget,
  patienceMs: number = MAX_BUSY_WAIT_MS,
): ConformanceSession {
  const exchange = createSender(target)
  let count = 0
  let patience = patienceMs
  const call = async (method: string, params: object = {}) => {
    for (let tries = 1; ; tries++) {
      const id = `check-${++count}`
      const reply = await exchange(JSON.stringify({ jsonrpc: '2.0', id, method, params }), {})
      const wait = readRetryDelay(reply)
      if (wait === undefined || tries >= MAX_TRIES || patience < wait) return reply
      patience -= wait
      await new Promise((resolve) => setTimeout(resolve, wait))
    }
  }
  const session: ConformanceSession = {
    url: target.url,
    send: async (body, how = {}) => await exchange(body, how),
    call,
    expectResult: async (method, params) => requireResult(method, await call(method, params)),
    expectError: async (method, params) => requireError(method, params, await call(method, params)),
    async runCode(code, more = {}) {
      return await session.expectResult('run_code', { language: 'python', code, ...more })
    },
    async expectOutput(code, more) {
      const result = await session.runCode(code, more)
      if (result['status'] === 'completed') return result['output']
      throw new RequirementFailed(
        `Expected the run to complete, got ${formatValue(result['error'] ?? result)}`,
      )
    },
    getProbe: createLazyProbe(call),
  }
  return session
}

/** Milliseconds after which a runtime that is busy wants to be asked again. */
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
  const got = json?.['error'] === undefined ? text || `HTTP status ${status}` : json['error']
  throw new RequirementFailed(`Expected ${method} to answer with a result, got ${formatValue(got)}`)
}

// eslint-disable-next-line max-params -- a method, what it was given, what it answered
function requireError(method: string, params: object, { json, text }: Reply): RpcErrorFields {
  const error = json?.['error']
  if (typeof error === 'object' && error !== null) return error as RpcErrorFields
  const asked = `${method} with ${formatValue(params)}`
  throw new RequirementFailed(
    `Expected ${asked} to be refused, got ${formatValue(json?.['result'] ?? text)}`,
  )
}

/** Demands a refusal with this code. */
export function assertErrorCode(refusal: RpcErrorFields, code: number): void {
  assertThat(
    refusal.code === code,
    `Expected the error code ${code}, got ${formatValue(refusal.code)} (${formatValue(refusal.message)})`,
  )
}

/** Demands text that is not empty. */
export function assertText(value: unknown, name: string): asserts value is string {
  assertThat(
    typeof value === 'string' && value !== '',
    `Expected text in ${name}, got ${formatValue(value)}`,
  )
}
