import type { Context, Hono } from 'hono'
import type { RpcReply } from '../../rpc/rpc.ts'
import { getPrincipal } from '../auth/caller.ts'
import type { AppEnv } from '../http/app-env.ts'
import { rejectEncoding, requireJson } from '../http/content-type.ts'
import { EVENT_HEADERS, openEventStream, type EventStream } from '../http/event-stream.ts'
import { rejectOtherMethods } from '../http/other-methods.ts'
import { createBodyLimits, readBody } from '../http/read-body.ts'
import type { RequestFacts } from './call-facts.ts'
import { createCallHooks } from './call-hooks.ts'
import { JSON_HEADERS, resolveHttpStatus } from './rpc-answer.ts'
import type { ServerContext } from '../server-context.ts'

/** `/rpc`: one body in, one body out, or an event stream that ends with the same response. */
export function addRpcRoutes(app: Hono<AppEnv>, context: ServerContext): void {
  const bodyLimits = createBodyLimits(context)
  app.post('/rpc', async (c) => {
    requireJson(c.req.header('content-type'))
    rejectEncoding(c.req.header('content-encoding'))
    const incoming = c.env?.incoming
    const caller = c.get('caller')
    const body = await readBody(
      c.req.raw,
      incoming && 'socket' in incoming ? incoming : undefined,
      { ...bodyLimits, caller: getPrincipal(caller) },
    )
    const request: RequestFacts = {
      caller,
      signal: () => c.req.raw.signal,
      traceparent: c.req.header('traceparent'),
    }
    if (wantsEvents(c.req.header('accept'))) {
      return c.body(answerWithEvents(context, body, request), 200, EVENT_HEADERS)
    }
    const reply = await context.rpc.handle(body, createCallHooks(context, request))
    return sendReply(c, reply)
  })
  rejectOtherMethods(app, context, { '/rpc': ['POST'] })
}

function sendReply(c: Context<AppEnv>, reply: RpcReply): Response {
  if (reply.text === undefined) return c.body(null, 204)
  // Older releases of TypeScript know no type parameter of Buffer.
  return c.body(reply.text as string, resolveHttpStatus(reply), JSON_HEADERS)
}

/** Streams the events, then the text that would otherwise be the body. */
function answerWithEvents(
  context: ServerContext,
  body: Buffer,
  request: RequestFacts,
): EventStream['body'] {
  const controller = new AbortController()
  const events = openEventStream(() => controller.abort())
  const hooks = createCallHooks(context, {
    ...request,
    signal: () => controller.signal,
    onEvent: (event) => events.send(event),
  })
  void finishEvents(async () => (await context.rpc.handle(body, hooks)).text?.toString(), events)
  return events.body
}

async function finishEvents(
  work: () => Promise<string | undefined>,
  events: EventStream,
): Promise<void> {
  let text: string | undefined
  try {
    text = await work()
  } finally {
    events.finish(text === undefined ? undefined : { name: 'response', text })
  }
}

function wantsEvents(accept: string | undefined): boolean {
  return accept !== undefined && /text\/event-stream/i.test(accept) && !/\/json/i.test(accept)
}
