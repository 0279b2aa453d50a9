import { ProtocolError, ProtocolErrorCode, type McpServer } from '@modelcontextprotocol/server'
import { toSkillsError } from '../errors.ts'
import type { ToolCaller } from '../rpc/tool-caller.ts'

type RequestHandler = (request: unknown, ctx: unknown) => Promise<unknown>

/** Protected members of the SDK's Server. McpServer cannot be subclassed with them. */
interface SdkInternals {
  _requestHandlers: Map<string, RequestHandler>
  _wrapHandler: (method: string, handler: RequestHandler) => RequestHandler
}

/**
 * Wraps the SDK's request handlers. By default the SDK reports invalid parameters as an internal
 * error whose text is a list of issues, and any other error with its message, which can contain
 * paths of this machine. Must be called before handlers are registered.
 */
export function sanitizeErrors(server: McpServer, caller: ToolCaller): void {
  const inner = server.server as unknown as SdkInternals
  const wrapHandler =
    (handler: RequestHandler): RequestHandler =>
    async (request, ctx) => {
      try {
        return await handler(request, ctx)
      } catch (thrown) {
        throw sanitizeError(caller, thrown)
      }
    }
  const wrap = inner._wrapHandler.bind(inner)
  inner._wrapHandler = (method, handler) => wrapHandler(wrap(method, handler))
  for (const [method, handler] of inner._requestHandlers) {
    inner._requestHandlers.set(method, wrapHandler(handler))
  }
}

function sanitizeError(caller: ToolCaller, thrown: unknown): unknown {
  const { message = '', code } = thrown as { message?: string; code?: unknown }
  const finding = readFirstIssue(message)
  if (finding !== undefined) return new ProtocolError(ProtocolErrorCode.InvalidParams, finding)
  if (Number.isSafeInteger(code)) return thrown
  const { code: rpcCode, message: text, data } = caller.describe(toSkillsError(thrown))
  return new ProtocolError(rpcCode, text, data)
}

/**
 * Formats the first of the SDK's validation issues as a sentence; undefined for any other message.
 */
function readFirstIssue(message: string): string | undefined {
  const list = /\[\s*\{[\s\S]*\}\s*\]$/.exec(message)?.[0]
  if (list === undefined) return undefined
  try {
    const [first] = JSON.parse(list) as [{ path?: unknown; message?: unknown }]
    const { path, message: text } = first
    if (!Array.isArray(path) || typeof text !== 'string') return undefined
    return `Invalid params: '${path.join('.') || 'params'}': ${text.replace(/^Invalid input: /, '')}`
  } catch {
    return undefined
  }
}
