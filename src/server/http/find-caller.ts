import type { Context } from 'hono'
import { authenticate } from '../auth/authenticate.ts'
import { type Caller, ANONYMOUS, findRemoteAccount } from '../auth/caller.ts'
import { readRequestSource, type RequestSource } from '../auth/request-source.ts'
import { CONSOLE_SESSION, isConsoleFile } from '../console/console-paths.ts'
import type { ServerContext } from '../server-context.ts'
import type { AppEnv } from './app-env.ts'

/** Resolves the caller of a request. Throws `auth/required` if it has to have a token, and has none. */
export function findCaller(c: Context<AppEnv>, context: ServerContext): Caller {
  const incoming = c.env?.incoming
  const source =
    incoming && 'socket' in incoming
      ? readRequestSource(incoming)
      : { headers: c.req.header(), address: undefined, httpVersion: undefined }
  const opensSession = context.consoleSessions !== undefined && c.req.path === CONSOLE_SESSION
  if (opensSession || asksForConsole(c, context)) return createConsoleVisitor(source)
  return authenticate(context, c.req.path, source)
}

/** True for a request for a file of the console. */
export function asksForConsole(
  { req }: Pick<Context<AppEnv>, 'req'>,
  { hasConsole }: Pick<ServerContext, 'hasConsole'>,
): boolean {
  return hasConsole === true && isConsoleFile({ path: req.path, accept: req.header('accept') })
}

/** Files that one address may load in a second. One page load is about ten. */
const FILES_PER_SECOND = 100

/**
 * The caller of a request for a file of the console. Files have an account of their own, so that
 * loading the page uses up no calls of its address. They are sent to this machine without a limit, as
 * every answer without a token is.
 */
function createConsoleVisitor({ address }: Pick<RequestSource, 'address'>): Caller {
  const account = findRemoteAccount(address)
  if (account === undefined) return ANONYMOUS
  const limits = { quotas: {}, callsPerSecond: FILES_PER_SECOND }
  return { ...ANONYMOUS, account: `console files of ${account}`, limits }
}
