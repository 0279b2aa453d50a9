import { callMethod, type Method } from '../core/methods/method.ts'
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
import { buildOpenRpcDocument } from './openrpc.ts'
import { mapInOrder } from './map-in-order.ts'
import { readJson } from './read-json.ts'
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
/** Calls that one batch may hold. */
export const MAX_BATCH = 100
/** Characters after which a batch's other calls are not executed any more. */
const MAX_BATCH_CHARS = 32 * 1024 ** 2
/** Calls of one batch that are answered at the same time. */
const BATCH_WIDTH = 8

interface RpcOptions {
  runtime: Runtime
  methods: readonly Method[]
  /** Folders whose paths no caller may see. */
  privateFolders: readonly string[]
}

/** One call on its way: what a door is told of it. */
export interface RpcCall {
  name: string
  /** Undefined where there is no such method. */
  method: Method | undefined
  id: Envelope['id']
  /** As they came. */
  params: unknown
}

/** What a door does around each call. */
export interface RpcHooks {
  /** Around a whole call, whatever becomes of it: may refuse it, measure it, write it down. */
  around(call: RpcCall, work: () => Promise<unknown>): Promise<unknown>
  /** Around the work itself, its parameters checked: gives it what a run needs. */
  admit(call: RpcCall, work: (call: RunCall) => Promise<unknown>): Promise<unknown>
  /** Told of what is no call at all. */
  onRefused(error: SkillsError): void
}

/** What a body amounts to. */
export interface RpcReply {
  /** Undefined where nobody waits for an answer. */
  text: ResponseText | undefined
  /** Why nothing of the body was executed. */
  refused: ErrorCode | undefined
}

/** JSON-RPC 2.0 over the methods, without a transport. */
export interface Rpc {
  /** The call of a body whose answer is kept; undefined for all that `handle` has to see. */
  findCached(body: string): CachedCall | undefined
  handle(body: string, door: RpcHooks): Promise<RpcReply>
  /** One call whose envelope was read elsewhere. Throws what became of it. */
  call(method: Method, params: unknown, door: RpcHooks): Promise<unknown>
  /** An answer for a body that never got as far as this. */
  refuse(error: SkillsError, id?: Envelope['id']): string
  /** The OpenRPC document. */
  api(): object
  /** What a caller may see of an error. */
  describe(error: SkillsError, method?: Method): RpcErrorObject
}

/** Makes the dispatcher. It keeps nothing between calls. */
export function createRpc(options: RpcOptions): Rpc {
  const write = createErrorWriter(options.privateFolders)
  const known = new Map(
    options.methods.flatMap((method) =>
      [method.name, ...(method.aliases ?? [])].map((name) => [name, method] as const),
    ),
  )
  let document: object | undefined
  const api = () => (document ??= buildOpenRpcDocument(options.methods))
  const { fastPaths } = options.runtime.config
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
    async call(method, params, door) {
      const call: RpcCall = { name: method.name, id: undefined, params, method }
      return await door.around(call, async () => await runCall(dispatch, call, door))
    },
    async handle(body, door) {
      let value: unknown
      try {
        value = readJson(body)
        if (Array.isArray(value)) checkBatch(value)
      } catch (thrown) {
        const error = toSkillsError(thrown)
        door.onRefused(error)
        return { text: refuse(error), refused: error.code }
      }
      if (!Array.isArray(value)) {
        return { text: await answerCall(dispatch, value, door), refused: undefined }
      }
      let size = 0
      const answers = await mapInOrder(value, BATCH_WIDTH, async (each) => {
        const text = await (size > MAX_BATCH_CHARS
          ? skipCall(dispatch, each)
          : answerCall(dispatch, each, door))
        size += text?.length ?? 0
        return text
      })
      const texts = answers.filter((text) => text !== undefined).map(String)
      return { text: texts.length === 0 ? undefined : `[${texts.join(',')}]`, refused: undefined }
    },
  }
}

/** The answer of a call that the batch has no room for. */
async function skipCall({ write }: DispatchContext, value: unknown): Promise<string | undefined> {
  const { id } = readEnvelope(value)
  const error = new SkillsError(
    'rpc/answer-too-large',
    'The answers before fill the batch; ask again',
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
  door: RpcHooks,
): Promise<ResponseText | undefined> {
  const envelope = readEnvelope(value)
  if ('error' in envelope) {
    door.onRefused(envelope.error)
    return renderFailure(envelope.id, dispatch.write(envelope.error))
  }
  const { id, method: name, params } = envelope
  const call: RpcCall = { name, id, params, method: dispatch.known.get(name) }
  try {
    const result = await door.around(call, async () => await runCall(dispatch, call, door))
    return id === undefined ? undefined : dispatch.success(id, result)
  } catch (thrown) {
    if (id === undefined) return undefined
    return renderFailure(id, dispatch.write(toSkillsError(thrown), call.method))
  }
}

async function runCall(dispatch: DispatchContext, call: RpcCall, door: RpcHooks): Promise<unknown> {
  const { method } = call
  if (call.name === DISCOVER) return dispatch.api()
  if (!method) throw unknownMethodError(dispatch, call.name)
  const params = checkParams(method, call.params)
  return await door.admit(
    call,
    async (run) => await callMethod(dispatch.runtime, method, { params, call: run }),
  )
}

function unknownMethodError({ known }: DispatchContext, name: string): SkillsError {
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name
  const guess = name.length > 100 ? undefined : findNearest(name, known.keys())
  const hint = guess === undefined ? undefined : `Did you mean '${guess}'?`
  return new SkillsError('rpc/unknown-method', `Method not found: '${shown}'`, {
    data: { method: shown, ...(hint && { hint }) },
  })
}
