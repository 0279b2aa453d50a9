import type { Context, Hono } from 'hono'
import { SkillsError } from '../../errors.ts'
import type { AppEnv } from '../http/app-env.ts'
import { createErrorResponse } from '../http/error-response.ts'
import { rejectOtherMethods } from '../http/other-methods.ts'
import type { ServerContext } from '../server-context.ts'
import { chooseEncoding } from './choose-encoding.ts'
import { readConsoleFiles } from './console-files.ts'
import { CONSOLE_HEADERS } from './console-headers.ts'
import { acceptsHtml } from './console-paths.ts'
import { addEventsRoute } from './events-route.ts'
import { addSessionRoute } from './session-route.ts'

const MAX_PATH = 200
const FOREVER = 'public, max-age=31536000, immutable'

/** `/console/`: the page of the console. Its paths are read by the page itself. */
export function addConsoleRoutes(app: Hono<AppEnv>, context: ServerContext): void {
  app.use('/console/*', async (c, next) => {
    await next()
    for (const [name, value] of Object.entries(CONSOLE_HEADERS)) c.header(name, value)
  })
  app.get('/', (c, next) => {
    if (!acceptsHtml(c.req.header('accept'))) return next()
    return c.redirect('/console/', 302)
  })
  addSessionRoute(app, context)
  addEventsRoute(app, context)
  app.get('/console', (c) => c.redirect('/console/', 302))
  app.get('/console/assets/:name', (c) => {
    const found = sendFile(c, `assets/${c.req.param('name')}`, FOREVER)
    return found ?? createErrorResponse(c, context, unknownFileError(c.req.path))
  })
  app.get('/console/*', (c) => {
    const page = sendFile(c, 'index.html', 'no-store')
    return page ?? createErrorResponse(c, context, notBuiltError())
  })
  rejectOtherMethods(app, context, { '/console/*': ['GET', 'HEAD'] })
}

/** Sends a file in the best form that the client accepts; undefined if it does not exist. */
function sendFile(c: Context<AppEnv>, path: string, caching: string): Response | undefined {
  const file = readConsoleFiles().get(path)
  if (!file) return undefined
  const encoding = chooseEncoding(c.req.header('accept-encoding'), file.encoded.keys())
  const bytes = file.encoded.get(encoding ?? '') ?? file.plain
  c.header('content-type', file.type)
  c.header('cache-control', caching)
  c.header('vary', 'accept-encoding', { append: true })
  c.header('content-length', String(bytes.length))
  if (encoding !== undefined) c.header('content-encoding', encoding)
  return c.body(bytes, 200)
}

function unknownFileError(path: string): SkillsError {
  return new SkillsError('http/not-found', `The console has no file "${path.slice(0, MAX_PATH)}"`, {
    hint: 'Open /console/ again: the server may have a newer version',
  })
}

function notBuiltError(): SkillsError {
  return new SkillsError('http/not-found', 'The console is not built', {
    hint: 'Type "npm run build" in the checkout',
  })
}
