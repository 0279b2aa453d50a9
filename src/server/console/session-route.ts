import type { Context, Hono } from 'hono'
import { SkillsError } from '../../errors.ts'
import { isOwnOrigin } from '../auth/host-check.ts'
import type { AppEnv } from '../http/app-env.ts'
import { rejectEncoding, requireJson } from '../http/content-type.ts'
import { rejectOtherMethods } from '../http/other-methods.ts'
import { createBodyLimits, readBody } from '../http/read-body.ts'
import type { ServerContext } from '../server-context.ts'
import { CONSOLE_SESSION } from './console-paths.ts'

const MAX_BODY_BYTES = 1024
/** Refused attempts of one address in a second; bursts of twice as many are allowed. */
const ATTEMPTS_PER_SECOND = 1

/** `/console/session`: exchanges the token of a link, once, for the token of a session. */
export function addSessionRoute(app: Hono<AppEnv>, context: ServerContext): void {
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
