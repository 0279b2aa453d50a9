import type { Context, Hono } from 'hono'
import { SkillsError } from '../../errors.ts'
import type { AppEnv } from '../http/app-env.ts'
import { createErrorResponse } from '../http/error-response.ts'
import { rejectOtherMethods } from '../http/other-methods.ts'
import type { ServerContext } from '../server-context.ts'
import { readConsoleFiles } from './console-files.ts'
import { acceptsHtml, CONSOLE_EVENTS, CONSOLE_SESSION } from './console-paths.ts'
import { requireScope } from '../auth/authenticate.ts'
import { EVENT_HEADERS } from '../http/event-stream.ts'
import { findCaller } from '../http/find-caller.ts'
import { isOwnOrigin } from '../auth/host-check.ts'
import { rejectEncoding, requireJson } from '../http/content-type.ts'
import { createBodyLimits, readBody } from '../http/read-body.ts'

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

/**
 * Returns the first of several encodings that an Accept-Encoding header accepts; undefined if the
 * plain form has to be sent.
 */
function chooseEncoding(
  header: string | undefined,
  available: Iterable<string>,
): string | undefined {
  const weights = new Map((header ?? '').toLowerCase().split(',').map(parseCoding))
  const others = weights.get('*') ?? 0
  for (const each of available) if ((weights.get(each) ?? others) > 0) return each
  return undefined
}

/** Parses `gzip;q=0.5`. An invalid weight rejects the coding, because the plain form is always right. */
function parseCoding(text: string): [name: string, weight: number] {
  const [name = '', ...parameters] = text.split(';').map((each) => each.trim())
  const weight = parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1'
  return [name, /^(?:0|1)(?:\.\d{0,3})?$/.test(weight) ? Number(weight) : 0]
}

/**
 * Policy of the console: scripts and styles of this server only, none of them inline, no markup from
 * text, no frame around it, and no other server.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  'frame-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const CONSOLE_HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** `/console/events`: runs, skills and the configuration, as they change. */
function addEventsRoute(app: Hono<AppEnv>, context: ServerContext): void {
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

const MAX_BODY_BYTES = 1024
/** Refused attempts of one address in a second; bursts of twice as many are allowed. */
const ATTEMPTS_PER_SECOND = 1

/** `/console/session`: exchanges the token of a link, once, for the token of a session. */
function addSessionRoute(app: Hono<AppEnv>, context: ServerContext): void {
  const { consoleSessions: sessions } = context
  if (!sessions) return
  const bodyLimits = { ...createBodyLimits(context), maxBytes: MAX_BODY_BYTES }
  app.post(CONSOLE_SESSION, async (c) => {
    requireOwnPage(c)
    requireJson(c.req.header('content-type'))
    rejectEncoding(c.req.header('content-encoding'))
    const body = await readBody(c.req.raw, undefined, { ...bodyLimits, caller: CONSOLE_SESSION })
    const token = sessions.exchange(readLinkToken(body))
    if (token === undefined) {
      countAttempt(c, context)
      throw linkNotAcceptedError()
    }
    return c.json({ token }, 200, { 'cache-control': 'no-store' })
  })
  rejectOtherMethods(app, context, { [CONSOLE_SESSION]: ['POST'] })
}

/** Pages of trusted origins may call with tokens of their own, but have no link. */
function requireOwnPage(c: Context<AppEnv>): void {
  const [origin, host] = [c.req.header('origin'), c.req.header('host')]
  if (origin === undefined) return
  if (isOwnOrigin({ origin, host, site: c.req.header('sec-fetch-site') })) return
  throw new SkillsError('http/untrusted', 'Only the console itself opens a session')
}

function readLinkToken(body: Buffer): string {
  try {
    const { token } = JSON.parse(body.toString('utf8')) as { token?: unknown }
    if (typeof token === 'string') return token
  } catch {
    // The same error as for a body of another form.
  }
  throw new SkillsError('rpc/invalid-request', 'Expected {"token": "..."}')
}

/** Throws `rate/exceeded` for an address with many refused attempts. A correct token is never refused. */
function countAttempt(c: Context<AppEnv>, { rateLimiter }: ServerContext): void {
  const address = c.env?.incoming?.socket?.remoteAddress ?? ''
  const limits = { quotas: {}, callsPerSecond: ATTEMPTS_PER_SECOND }
  rateLimiter.count({ account: `console sessions of ${address}`, limits })
}

function linkNotAcceptedError(): SkillsError {
  return new SkillsError(
    'auth/required',
    'This link to the console was used, or is not the last one',
    {
      hint: 'Open the last link that "skills serve" printed on its terminal',
    },
  )
}
