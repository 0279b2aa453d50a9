import { ANONYMOUS, findRemoteAccount, type Caller } from '../auth/caller.ts'
import type { RequestSource } from '../auth/request-source.ts'

/** Files that one address may load in a second. One page load is about ten. */
const FILES_PER_SECOND = 100

/**
 * The caller of a request for a file of the console. Files have an account of their own, so that
 * loading the page uses up no calls of its address. They are sent to this machine without a limit, as
 * every answer without a token is.
 */
export function createConsoleVisitor({ address }: Pick<RequestSource, 'address'>): Caller {
  const account = findRemoteAccount(address)
  if (account === undefined) return ANONYMOUS
  const limits = { quotas: {}, callsPerSecond: FILES_PER_SECOND }
  return { ...ANONYMOUS, account: `console files of ${account}`, limits }
}
