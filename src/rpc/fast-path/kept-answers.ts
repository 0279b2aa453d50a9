import type { Method } from '../../core/methods/method.ts'
import type { Runtime } from '../../core/runtime.ts'
import { checkParams } from '../check-params.ts'
import { readEnvelope, type RpcId } from '../envelope.ts'
import { readJson } from '../read-json.ts'
import { success, successStart, type WireText } from '../wire-error.ts'

/** A call whose answer is kept: it only has to be authorized. */
export interface KeptCall {
  name: string
  method: Method
  id: RpcId
  /** As they came. */
  params: unknown
  /** The answer, in two pieces. */
  start: string
  end: Buffer
}

/**
 * Finds the answer to a body among results that are kept and frozen: without a promise, and without
 * writing the same JSON again. Undefined for every other body, mistakes included.
 *
 * General way: `handle` in rpc/rpc.ts.
 * Differential test: test/rpc/fast-path/kept-answers.test.ts
 */
export function findKeptAnswers(
  runtime: Runtime,
  methods: ReadonlyMap<string, Method>,
): (body: string) => KeptCall | undefined {
  const names = [...methods].filter(([, each]) => 'known' in each).map(([name]) => `"${name}"`)
  return (body) => {
    // A body that names no such method is not parsed twice.
    if (!names.some((name) => body.includes(name))) return undefined
    try {
      const envelope = readEnvelope(readJson(body))
      if ('error' in envelope || envelope.id === undefined) return undefined
      const { id, method: name, params } = envelope
      const method = methods.get(name)
      const end = keptEnd(method?.known?.(runtime, checkParams(method, params) as never))
      return method && end && { name, method, id, params, start: successStart(id), end }
    } catch {
      return undefined
    }
  }
}

/** `success`, with the bytes of a frozen result written once. */
export function keptSuccess(id: RpcId, result: unknown): WireText {
  const end = keptEnd(result)
  return end ? Buffer.concat([Buffer.from(successStart(id)), end]) : success(id, result)
}

/** Ends of answers, by frozen result. */
const ENDS = new WeakMap<object, Buffer>()

/** A frozen result and the brace behind it, as bytes; undefined for any other result. */
function keptEnd(result: unknown): Buffer | undefined {
  if (typeof result !== 'object' || result === null) return undefined
  const kept = ENDS.get(result)
  if (kept) return kept
  if (!Object.isFrozen(result)) return undefined
  const bytes = Buffer.from(`${JSON.stringify(result)}}`)
  ENDS.set(result, bytes)
  return bytes
}
