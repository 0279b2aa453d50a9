import {
  ProtocolError,
  ProtocolErrorCode,
  TRACEPARENT_META_KEY,
  type CallToolResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { splitResult } from '../../core/tool-formats/caller-results.ts'
import type { Method, CallOutcome } from '../../core/methods/method.ts'
import { toSkillsError } from '../../errors.ts'
import type { ToolCaller } from '../../rpc/tool-caller.ts'
import { addCallerParams } from './caller-params.ts'
import { collectLinks } from '../resources/links.ts'
import { RESULT_KEY } from './output-schema.ts'
import { createProgressNotifier } from './progress-notifier.ts'

/** Metadata key of the error code and data; the text content is for the model. */
const ERROR_META_KEY = 'skills-protocol/error'
/**
 * Metadata key of the fields that only the application needs. Clients pass text and structured
 * content to models, but no metadata.
 */
const DETAILS_META_KEY = 'skills-protocol/details'
/**
 * Outcomes of runs that are reported with `isError`, so that the model does not treat them as
 * success.
 */
const FAILED_OUTCOMES: ReadonlySet<CallOutcome | undefined> = new Set([
  'failed',
  'failure',
  'timeout',
  'cancelled',
  'denied',
] as const)

interface ToolArguments {
  args: unknown
  ctx: ServerContext
  /** Names of the tools of the server. */
  offered: ReadonlySet<string>
  /** Session of a client without one. */
  session: string | undefined
}

/**
 * Calls a method as a tool. Errors that the model can correct, such as invalid arguments and failed
 * runs, are returned as results with `isError`; all others are protocol errors.
 */
export async function callTool(
  caller: ToolCaller,
  method: Method,
  { args, ctx, offered, session }: ToolArguments,
): Promise<CallToolResult> {
  const { signal, _meta: meta } = ctx.mcpReq
  const notifier = createProgressNotifier(ctx)
  const traceparent = meta?.[TRACEPARENT_META_KEY]
  try {
    const result = await caller.call(
      method,
      addCallerParams(method, args, { sessionId: ctx.sessionId ?? session, offered }),
      {
        signal,
        traceparent: typeof traceparent === 'string' ? traceparent : undefined,
        onEvent: notifier.onEvent,
      },
    )
    return await toToolResult(caller, method, result)
  } catch (thrown) {
    return toToolError(caller, method, thrown)
  } finally {
    await notifier.finish()
  }
}

/** Converts the result of a method. */
export async function toToolResult(
  { runtime }: ToolCaller,
  method: Method,
  value: unknown,
): Promise<CallToolResult> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return { content: [{ type: 'text', text }], structuredContent: { [RESULT_KEY]: value } }
  }
  const { value: shown, details } = splitResult(method, value)
  const structuredContent = shown as Record<string, unknown>
  const links = await collectLinks(runtime, structuredContent)
  return {
    content: [{ type: 'text', text: JSON.stringify(shown) }, ...links],
    structuredContent,
    ...(details && { _meta: { [DETAILS_META_KEY]: details } }),
    ...(FAILED_OUTCOMES.has(method.outcome?.(value)) && { isError: true }),
  }
}

function toToolError(caller: ToolCaller, method: Method, thrown: unknown): CallToolResult {
  const error = toSkillsError(thrown)
  const { message, data } = caller.describe(error, method)
  if (error.code === 'internal/unexpected' || error.code === 'auth/scope') {
    throw new ProtocolError(ProtocolErrorCode.InternalError, message, data)
  }
  const hint = data?.['hint']
  // Omits a hint that the message already contains.
  const advice = typeof hint === 'string' && !message.includes(hint) ? `\n${hint}` : ''
  return {
    content: [{ type: 'text', text: `${message}${advice}` }],
    isError: true,
    _meta: { [ERROR_META_KEY]: { code: error.code, ...data } },
  }
}
