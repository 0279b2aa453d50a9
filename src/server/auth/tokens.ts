import { createHash, timingSafeEqual } from 'node:crypto'
import { SkillsError } from '../../errors.ts'
import { SCOPES, type Caller, type Scope } from './caller.ts'

/** Shorter tokens could be guessed. */
const MIN_LENGTH = 16

/** The tokens that a server accepts. */
export interface TokenBook {
  /** Returns the owner of a token. Takes constant time for every token. */
  find(token: string): Caller | undefined
}

interface TokenEntry {
  digest: Buffer
  caller: Caller
}

/** Creates a book of one token with all scopes, as from an environment variable. */
export function singleToken(token: string): TokenBook {
  checkToken(token, 'SKILLS_TOKEN')
  return createTokenBook([{ digest: hashToken(token), caller: createCaller('default', SCOPES) }])
}

/**
 * Parses a token file. Each line has a token, an optional name and optional scopes, such as `4f0c…
 * alice read,run`. Comments begin with `#`.
 */
export function parseTokens(text: string, file: string): TokenBook {
  const known: TokenEntry[] = []
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const [token, name, scopes, ...rest] = line.trim().split(/\s+/)
    if (!token || token.startsWith('#')) continue
    const place = `line ${at + 1} of "${file}"`
    if (rest.length > 0) throw tokenError(`Expected "token name scopes" in ${place}`)
    checkToken(token, place)
    const caller = createCaller(name ?? `token-${known.length + 1}`, parseScopes(scopes, place))
    if (known.some((each) => each.caller.name === caller.name)) {
      throw tokenError(`The name "${caller.name}" in ${place} is already used`)
    }
    const own = hashToken(token)
    // The token would have two names and different scopes.
    if (known.some((each) => each.digest.equals(own))) {
      throw tokenError(`The token in ${place} repeats that of another line`)
    }
    known.push({ digest: own, caller })
  }
  if (known.length === 0) throw tokenError(`The token file "${file}" contains no token`)
  return createTokenBook(known)
}

function createTokenBook(known: readonly TokenEntry[]): TokenBook {
  return {
    find(token) {
      const given = hashToken(token)
      let found: Caller | undefined
      for (const each of known) if (timingSafeEqual(each.digest, given)) found = each.caller
      return found
    },
  }
}

function createCaller(name: string, scopes: readonly Scope[]): Caller {
  return { name, scopes: new Set(scopes), account: name }
}

function parseScopes(text: string | undefined, place: string): readonly Scope[] {
  if (text === undefined) return SCOPES
  const scopes = text.split(',')
  const wrong = scopes.find((each) => !(SCOPES as readonly string[]).includes(each))
  if (wrong === undefined) return scopes as Scope[]
  throw tokenError(`Unknown scope "${wrong}" in ${place}, expected ${SCOPES.join(', ')}`)
}

function checkToken(token: string, place: string): void {
  if (token.length >= MIN_LENGTH && /^[!-~]+$/.test(token)) return
  // The message omits the token, because even an invalid token is a secret.
  throw tokenError(`The token of ${place} needs at least ${MIN_LENGTH} visible ASCII characters`)
}

function tokenError(message: string): SkillsError {
  return new SkillsError('usage/invalid', message, {
    hint: 'Create a token with: openssl rand -hex 32',
  })
}

/** Digests have equal length, so that comparing them does not reveal the length of a token. */
function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
