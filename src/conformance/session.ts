import { makeExchange, type Reply, type SendOptions, type Target } from './exchange.ts'
import { lateProbe, type Probe } from './probe.ts'
import { Broken, demand, shown } from './verdict.ts'

export type Fields = Record<string, unknown>

/** An answer of the first level that says no. */
export interface Refusal {
  code: unknown
  message: unknown
  data: unknown
}

/** How checks talk to the runtime that is looked at. */
export interface Session {
  readonly url: URL
  /** Sends a body as it is to the endpoint, or to a path beside it. */
  send(body: string | undefined, how?: SendOptions): Promise<Reply>
  /** One call, its answer as it came. */
  call(method: string, params?: object): Promise<Reply>
  /** The result of a call that has to succeed. */
  result(method: string, params?: object): Promise<Fields>
  /** The error of a call that has to be refused. */
  refusal(method: string, params: object): Promise<Refusal>
  /** The result of running code, whether it completed or failed. */
  run(code: string, more?: object): Promise<Fields>
  /** What the code returned; it has to complete. */
  output(code: string, more?: object): Promise<unknown>
  /** A skill that can be executed without doing anything to anybody. Throws Untried. */
  probe(): Promise<Probe>
}

const MAX_TRIES = 5
/** For one that is always busy. */
const MOST_WAITING_MS = 60_000

/** Opens a session. Nothing is sent before it is asked for. */
export function openSession(target: Target, patienceMs: number = MOST_WAITING_MS): Session {
  const exchange = makeExchange(target)
  let count = 0
  let patience = patienceMs
  const call = async (method: string, params: object = {}) => {
    for (let tries = 1; ; tries++) {
      const id = `check-${++count}`
      const reply = await exchange(JSON.stringify({ jsonrpc: '2.0', id, method, params }), {})
      const wait = busyFor(reply)
      if (wait === undefined || tries >= MAX_TRIES || patience < wait) return reply
      patience -= wait
      await new Promise((resolve) => setTimeout(resolve, wait))
    }
  }
  const session: Session = {
    url: target.url,
    send: async (body, how = {}) => await exchange(body, how),
    call,
    result: async (method, params) => resultOf(method, await call(method, params)),
    refusal: async (method, params) => refusalOf(method, params, await call(method, params)),
    async run(code, more = {}) {
      return await session.result('run_code', { language: 'python', code, ...more })
    },
    async output(code, more) {
      const result = await session.run(code, more)
      if (result['status'] === 'completed') return result['output']
      throw new Broken(`Expected the run to complete, got ${shown(result['error'] ?? result)}`)
    },
    probe: lateProbe(call),
  }
  return session
}

/** Milliseconds after which a runtime that is busy wants to be asked again. */
function busyFor({ json }: Reply): number | undefined {
  const { error } = (json ?? {}) as {
    error?: { code?: unknown; data?: { retry_after_ms?: unknown } }
  }
  const wait = error?.data?.retry_after_ms
  return typeof wait === 'number' && wait >= 0 && wait <= 10_000 ? wait + 1 : undefined
}

function resultOf(method: string, { json, status, text }: Reply): Fields {
  const result = json?.['result']
  if (typeof result === 'object' && result !== null) return result as Fields
  const got = json?.['error'] === undefined ? text || `HTTP status ${status}` : json['error']
  throw new Broken(`Expected ${method} to answer with a result, got ${shown(got)}`)
}

// eslint-disable-next-line max-params -- a method, what it was given, what it answered
function refusalOf(method: string, params: object, { json, text }: Reply): Refusal {
  const error = json?.['error']
  if (typeof error === 'object' && error !== null) return error as Refusal
  const asked = `${method} with ${shown(params)}`
  throw new Broken(`Expected ${asked} to be refused, got ${shown(json?.['result'] ?? text)}`)
}

/** Demands a refusal with this code. */
export function demandCode(refusal: Refusal, code: number): void {
  demand(
    refusal.code === code,
    `Expected the error code ${code}, got ${shown(refusal.code)} (${shown(refusal.message)})`,
  )
}

/** Demands text that is not empty. */
export function demandText(value: unknown, name: string): asserts value is string {
  demand(typeof value === 'string' && value !== '', `Expected text in ${name}, got ${shown(value)}`)
}
