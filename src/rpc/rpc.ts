import { listFormerMethods } from '../core/methods/former-names.ts'
import { callMethod, type Method, type MethodPerformer } from '../core/methods/method.ts'
import type { RunCall } from '../core/runs/run-call.ts'
import type { Runtime } from '../core/runtime.ts'
import { SkillsError, toSkillsError, type ErrorCode } from '../errors.ts'
import { findNearest } from '../util/find-nearest.ts'
import { checkParams } from './check-params.ts'
import { readEnvelope, type Envelope, type RpcId } from './envelope.ts'
import {
  createCachedCallFinder,
  renderCachedSuccess,
  type CachedCall,
} from './fast-path/cached-answers.ts'
import { REQUEST_LIMITS } from './json-limits.ts'
import { buildOpenRpcDocument } from './openrpc.ts'
import { mapInOrder } from '../util/slices/map-in-order.ts'
import { readJson, readJsonBody } from './read-json.ts'
import {
  createErrorWriter,
  renderFailure,
  renderSuccess,
  type ErrorWriter,
  type RpcErrorObject,
  type ResponseText,
} from './error-object.ts'

/** The method that describes all others. */
export const DISCOVER = 'rpc.discover'
/** Maximum number of calls in one batch. */
export const MAX_BATCH = 100
/**
 * When the responses of a batch exceed this many characters, its remaining calls are not executed.
 */
const MAX_BATCH_CHARS = 32 * 1024 ** 2
/** Number of calls of one batch that run in parallel. */
const BATCH_WIDTH = 8

interface RpcOptions {
  runtime: Runtime
  methods: readonly Method[]
  /** Folders whose paths are hidden from callers. */
  privateFolders: readonly string[]
  /** By default, this process performs all calls. */
  perform?: MethodPerformer | undefined
}

/** A call in progress, as hooks receive it. */
export interface RpcCall {
  name: string
  /** Undefined if the method is unknown. */
  method: Method | undefined
  id: Envelope['id']
  /** Not validated. */
  params: unknown
}

/** Hooks that a transport runs around each call. */
export interface RpcHooks {
  /** Wraps a whole call, including failed ones: authorizes, measures and logs it. */
  around(call: RpcCall, work: () => Promise<unknown>): Promise<unknown>
  /** Wraps the execution after the parameters were validated: provides the context of a run. */
  admit(call: RpcCall, work: (call: RunCall) => Promise<unknown>): Promise<unknown>
  /** Called for a message that is not a valid call. */
  onRefused(error: SkillsError): void
}

/** The response to a body. */
export interface RpcReply {
  /** Undefined if the body contains only notifications. */
  text: ResponseText | undefined
  /** Error code if nothing of the body was executed. */
  refused: ErrorCode | undefined
}

/** JSON-RPC 2.0 over the methods, independent of a transport. */
export interface Rpc {
  /** Finds a call with a cached response; undefined if `handle` must process the body. */
  findCached(body: string): CachedCall | undefined
  /** A body in bytes is UTF-8, and is parsed in slices. */
  handle(body: string | Buffer, hooks: RpcHooks): Promise<RpcReply>
  /** Executes one call without an envelope. Throws its error. */
  call(method: Method, params: unknown, hooks: RpcHooks): Promise<unknown>
  /** Renders the error response to a body that was not processed. */
  refuse(error: SkillsError, id?: Envelope['id']): string
  /** The OpenRPC document. */
  api(): object
  /** Converts an error for a caller. */
  describe(error: SkillsError, method?: Method): RpcErrorObject
}

/** Creates the dispatcher. It stores nothing between calls. */
export function createRpc(options: RpcOptions): Rpc {
  const write = createErrorWriter(options.privateFolders)
  const known = new Map([
    ...listFormerMethods(options.methods),
    ...options.methods.flatMap((method) =>
      [method.name, ...(method.aliases ?? [])].map((name) => [name, method] as const),
    ),
  ])
  let document: object | undefined
  const api = () => (document ??= buildOpenRpcDocument(options.methods))
  const { fastPaths } = options.runtime
  const dispatch: DispatchContext = {
    ...options,
    known,
    write,
    api,
    success: fastPaths ? renderCachedSuccess : renderSuccess,
  }
  const refuse = (error: SkillsError, id: Envelope['id'] = null) => renderFailure(id, write(error))
  return {
    refuse,
    describe: write,
    api: dispatch.api,
    findCached: fastPaths ? createCachedCallFinder(options.runtime, known) : () => undefined,
    async call(method, params, hooks) {
      const call: RpcCall = { name: method.name, id: undefined, params, method }
      return await hooks.around(call, async () => await runCall(dispatch, call, hooks))
    },
    async handle(body, hooks) {
      let value: unknown
      try {
        const isText = typeof body === 'string'
        value = isText ? readJson(body, REQUEST_LIMITS) : await readJsonBody(body, REQUEST_LIMITS)
        if (Array.isArray(value)) checkBatch(value)
      } catch (thrown) {
        const error = toSkillsError(thrown)
        hooks.onRefused(error)
        return { text: refuse(error), refused: error.code }
      }
      if (!Array.isArray(value)) {
        return { text: await answerCall(dispatch, value, hooks), refused: undefined }
      }
      let size = 0
      const answers = await mapInOrder(value, BATCH_WIDTH, async (each) => {
        const text = await (size > MAX_BATCH_CHARS
          ? skipCall(dispatch, each)
          : answerCall(dispatch, each, hooks))
        size += text?.length ?? 0
        return text
      })
      const texts = answers.filter((text) => text !== undefined).map(String)
      return { text: texts.length === 0 ? undefined : `[${texts.join(',')}]`, refused: undefined }
    },
  }
}

/** The response to a call of a batch whose size limit is reached. */
async function skipCall({ write }: DispatchContext, value: unknown): Promise<string | undefined> {
  const { id } = readEnvelope(value)
  const error = new SkillsError(
    'rpc/answer-too-large',
    'The batch exceeds its response size; repeat this call separately',
    {
      data: { max_bytes: MAX_BATCH_CHARS },
    },
  )
  return id === undefined ? undefined : renderFailure(id, write(error))
}

interface DispatchContext extends RpcOptions {
  known: ReadonlyMap<string, Method>
  write: ErrorWriter
  api: () => object
  success: (id: RpcId, result: unknown) => ResponseText
}

function checkBatch(batch: readonly unknown[]): void {
  if (batch.length > 0 && batch.length <= MAX_BATCH) return
  throw new SkillsError(
    'rpc/invalid-request',
    `Invalid Request: expected a batch of 1 to ${MAX_BATCH} calls, got ${batch.length}`,
  )
}

async function answerCall(
  dispatch: DispatchContext,
  value: unknown,
  hooks: RpcHooks,
): Promise<ResponseText | undefined> {
  const envelope = readEnvelope(value)
  if ('error' in envelope) {
    hooks.onRefused(envelope.error)
    return renderFailure(envelope.id, dispatch.write(envelope.error))
  }
  const { id, method: name, params } = envelope
  const call: RpcCall = { name, id, params, method: dispatch.known.get(name) }
  try {
    const result = await hooks.around(call, async () => await runCall(dispatch, call, hooks))
    return id === undefined ? undefined : dispatch.success(id, result)
  } catch (thrown) {
    if (id === undefined) return undefined
    return renderFailure(id, dispatch.write(toSkillsError(thrown), call.method))
  }
}

async function runCall(
  dispatch: DispatchContext,
  call: RpcCall,
  hooks: RpcHooks,
): Promise<unknown> {
  const { method } = call
  if (call.name === DISCOVER) return dispatch.api()
  if (!method) throw unknownMethodError(dispatch, call.name)
  const params = checkParams(method, call.params)
  const { runtime, perform = callMethod } = dispatch
  return await hooks.admit(
    call,
    async (run) => await perform(runtime, method, { params, call: run }),
  )
}

function unknownMethodError({ known }: DispatchContext, name: string): SkillsError {
  const quotedName = name.length > 100 ? `${name.slice(0, 100)}…` : name
  const guess = name.length > 100 ? undefined : findNearest(name, known.keys())
  const hint = guess === undefined ? undefined : `Did you mean '${guess}'?`
  return new SkillsError('rpc/unknown-method', `Method not found: '${quotedName}'`, {
    data: { method: quotedName, ...(hint && { hint }) },
  })
}
