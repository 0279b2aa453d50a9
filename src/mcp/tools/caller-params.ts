import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { Method } from '../../core/methods/method.ts'
import { listHiddenParams } from '../../core/tool-formats/hidden-params.ts'
import { takesSession } from '../../core/tool-formats/tool-definition.ts'

type SchemaProperties = Readonly<Record<string, unknown>>

/** Session id for clients without one; unique per process. */
const DEFAULT_SESSION = `mcp-${randomUUID()}`

/** Removes parameters that models do not set. The server sets `session`, unless the client does. */
export function hideCallerParams(
  method: Method,
  schema: Readonly<Record<string, unknown>>,
  offered: ReadonlySet<string>,
): object {
  const hidden = listHiddenParams(method, offered)
  if (hidden.size === 0) return schema
  const properties = Object.entries((schema['properties'] ?? {}) as SchemaProperties)
  const required = (schema['required'] ?? []) as readonly string[]
  const shown = required.filter((name) => !hidden.has(name))
  const { required: _, ...rest } = schema
  return {
    ...rest,
    properties: Object.fromEntries(properties.filter(([name]) => !hidden.has(name))),
    ...(shown.length > 0 && { required: shown }),
  }
}

/**
 * Adds parameters that the server sets. The server cannot insert loaded content into a model's
 * request, so results include it.
 */
export function addCallerParams(
  method: Method,
  args: unknown,
  { sessionId, offered }: { sessionId: string | undefined; offered: ReadonlySet<string> },
): unknown {
  const callerParams = method.callerParams ?? []
  const params = args ?? {}
  if (callerParams.length === 0 || typeof params !== 'object' || Array.isArray(params)) return args
  const { shape } = method.params as unknown as z.ZodObject
  return {
    ...(Object.hasOwn(shape, 'include_content') && { include_content: true }),
    ...(takesSession(method, offered) && { session: sessionId ?? DEFAULT_SESSION }),
    ...params,
  }
}
