import type { Hono } from 'hono'
import { requireScope } from '../auth/authenticate.ts'
import type { AppEnv } from '../http/app-env.ts'
import { EVENT_HEADERS } from '../http/event-stream.ts'
import { findCaller } from '../http/find-caller.ts'
import { rejectOtherMethods } from '../http/other-methods.ts'
import type { ServerContext } from '../server-context.ts'
import { CONSOLE_EVENTS } from './console-paths.ts'

/** `/console/events`: runs, skills and the configuration, as they change. */
export function addEventsRoute(app: Hono<AppEnv>, context: ServerContext): void {
  app.get(CONSOLE_EVENTS, (c) => {
    const caller = c.get('caller')
    requireScope(caller, 'read')
    // An answer to HEAD has no body, so its stream would never be read or closed.
    if (c.req.method === 'HEAD') return c.body(null, 200, EVENT_HEADERS)
    const body = context.consoleEvents.open(caller, () => {
      requireScope(findCaller(c, context), 'read')
    })
    return c.body(body, 200, EVENT_HEADERS)
  })
  rejectOtherMethods(app, context, { [CONSOLE_EVENTS]: ['GET', 'HEAD'] })
}
