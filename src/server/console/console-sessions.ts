import { randomBytes, timingSafeEqual } from 'node:crypto'
import { SCOPES, type Caller } from '../auth/caller.ts'
import { CONSOLE_NAME, hashToken } from '../auth/tokens.ts'

const TOKEN_BYTES = 32
/** A session without a request for this time ends. */
const IDLE_MS = 12 * 60 * 60 * 1000
/** Browsers that use the console at once; with one more, the one that was idle longest is out. */
const MAX_SESSIONS = 16

const CALLER: Caller = { name: CONSOLE_NAME, scopes: new Set(SCOPES), account: CONSOLE_NAME }

/**
 * The sessions of browsers that opened a link from the terminal of the server. The link has a token
 * that is exchanged once for the token of a session. Both exist in memory only, as digests, and end
 * with the server.
 */
export class ConsoleSessions {
  /** Called after each exchange: the link can no longer be used. */
  onOpened: () => void = () => {}
  #now: () => number
  #linkDigest: Buffer | undefined
  /** Times of the last request by the digest of the session's token, the latest of them last. */
  #usedAt = new Map<string, number>()

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Creates the token of a link. The token of an earlier link is no longer accepted. */
  createLinkToken(): string {
    const token = createRandomToken()
    this.#linkDigest = hashToken(token)
    return token
  }

  /** Exchanges the token of the link for that of a session; undefined if it is not accepted. */
  exchange(linkToken: string): string | undefined {
    const expected = this.#linkDigest
    if (!expected || !timingSafeEqual(expected, hashToken(linkToken))) return undefined
    this.#linkDigest = undefined
    const token = createRandomToken()
    this.#usedAt.set(hashToken(token).toString('hex'), this.#now())
    const [oldest] = this.#usedAt.keys()
    if (this.#usedAt.size > MAX_SESSIONS && oldest !== undefined) this.#usedAt.delete(oldest)
    this.onOpened()
    return token
  }

  /** Returns the caller of a session, and counts the request as its use. */
  find(token: string): Caller | undefined {
    const key = hashToken(token).toString('hex')
    const usedAt = this.#usedAt.get(key)
    if (usedAt === undefined) return undefined
    this.#usedAt.delete(key)
    const now = this.#now()
    if (now - usedAt > IDLE_MS) return undefined
    this.#usedAt.set(key, now)
    return CALLER
  }
}

function createRandomToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}
