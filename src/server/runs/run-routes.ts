import type { Hono } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { requireScope } from '../auth/authenticate.ts'
import { EVENT_HEADERS, openEventStream } from '../http/event-stream.ts'
import type { LiveRun } from './live-run.ts'
import { rejectOtherMethods } from '../http/other-methods.ts'
import type { ServerContext } from '../server-context.ts'

/** `/runs/<id>/events`: replays the events of a run and follows it until it ends. */
export function addRunRoutes(app: Hono<AppEnv>, context: ServerContext): void {
  app.get('/runs/:id/events', async (c) => {
    const caller = c.get('caller')
    requireScope(caller, 'run')
    const run = await context.runs.find(caller, c.req.param('id'))
    const after = Number(c.req.header('last-event-id') ?? 0)
    const body = streamRunEvents(run, Number.isSafeInteger(after) ? after : 0, context.closing)
    return c.body(body, 200, EVENT_HEADERS)
  })
  rejectOtherMethods(app, context, { '/runs/:id/events': ['GET'] })
}

function streamRunEvents(
  run: LiveRun,
  after: number,
  closing: AbortSignal,
): ReadableStream<Uint8Array> {
  let unfollow = () => {}
  const unsubscribe = () => {
    unfollow()
    closing.removeEventListener('abort', stop)
  }
  const events = openEventStream(unsubscribe)
  const stop = () => {
    unsubscribe()
    events.finish()
  }
  closing.addEventListener('abort', stop, { once: true })
  unfollow = run.subscribe((event) => {
    events.send(event)
    // Stored events are delivered before `subscribe` returns, so `unfollow` is not yet set.
    if (event.name === 'end') queueMicrotask(stop)
  }, after)
  if (run.isOver) queueMicrotask(stop)
  return events.body
}
