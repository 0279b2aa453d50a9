import type { Method } from '../../core/methods/method.ts'
import type { Runtime } from '../../core/runtime.ts'
import { checkParams } from '../check-params.ts'
import { readEnvelope, type RpcId } from '../envelope.ts'
import { REQUEST_LIMITS } from '../json-limits.ts'
import { readJson } from '../read-json.ts'
import { renderSuccess, renderSuccessPrefix, type ResponseText } from '../error-object.ts'

/** A call with a cached response. It only needs to be authorized. */
export interface CachedCall {
  name: string
  method: Method
  id: RpcId
  /** Not validated. */
  params: unknown
  /** The response in two pieces. */
  start: string
  end: Buffer
}

/**
 * Finds the response to a body among cached, frozen results. It needs neither a promise nor another
 * serialization. Undefined for every other body, including invalid ones.
 *
 * General path: `handle` in rpc/rpc.ts.
 * Differential test: test/rpc/fast-path/cached-answers.test.ts
 */
export function createCachedCallFinder(
  runtime: Runtime,
  methods: ReadonlyMap<string, Method>,
): (body: string) => CachedCall | undefined {
  const names = [...methods]
    .filter(([, each]) => each.getCachedResult !== undefined)
    .map(([name]) => `"${name}"`)
  return (body) => {
    // Avoids parsing a body twice if it names no method with cached results.
    if (!names.some((name) => body.includes(name))) return undefined
    try {
      const envelope = readEnvelope(readJson(body, REQUEST_LIMITS))
      if ('error' in envelope || envelope.id === undefined) return undefined
      const { id, method: name, params } = envelope
      const method = methods.get(name)
      const end = getCachedResultSuffix(
        method?.getCachedResult?.(runtime, checkParams(method, params) as never),
      )
      return method && end && { name, method, id, params, start: renderSuccessPrefix(id), end }
    } catch {
      return undefined
    }
  }
}

/** Like `renderSuccess`, but serializes a frozen result only once. */
export function renderCachedSuccess(id: RpcId, result: unknown): ResponseText {
  const end = getCachedResultSuffix(result)
  return end
    ? Buffer.concat([Buffer.from(renderSuccessPrefix(id)), end])
    : renderSuccess(id, result)
}

/** Serialized results by frozen result. */
const RESULT_SUFFIXES = new WeakMap<object, Buffer>()

/** Returns the serialized result and the closing brace; undefined unless the result is frozen. */
function getCachedResultSuffix(result: unknown): Buffer | undefined {
  if (typeof result !== 'object' || result === null) return undefined
  const cached = RESULT_SUFFIXES.get(result)
  if (cached) return cached
  if (!Object.isFrozen(result)) return undefined
  const bytes = Buffer.from(`${JSON.stringify(result)}}`)
  RESULT_SUFFIXES.set(result, bytes)
  return bytes
}
