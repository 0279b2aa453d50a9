import { createHash, timingSafeEqual } from 'node:crypto'
import { SkillsError } from '../../errors.ts'
import { parseCallerLimits, type CallerLimits } from '../quotas/caller-limits.ts'
import { DEFAULT_SCOPES, SCOPES, type Caller, type Scope } from './caller.ts'

/** Shorter tokens could be guessed. */
const MIN_LENGTH = 16

/** The caller of the console's sessions. A token of this name would own its runs. */
export const CONSOLE_NAME = 'console'

/** The tokens that a server accepts. */
export interface TokenBook {
  /** Returns the owner of a token. Takes constant time for every token. */
  find(token: string): Caller | undefined
  /** Digests of the tokens with their scopes, by the name of the caller. */
  keys?(): ReadonlyMap<string, string>
  /** Limits in the line of the token of a caller. */
  findLimits?(name: string): CallerLimits | undefined
}

/** A token, known by its digest. */
export interface TokenEntry {
  /** SHA-256. */
  digest: Buffer
  caller: Caller
}

/** Creates a book of one token, as from an environment variable. */
export function singleToken(token: string): TokenBook {
  checkToken(token, 'SKILLS_TOKEN')
  return createTokenBook([
    { digest: hashToken(token), caller: createCaller('default', DEFAULT_SCOPES) },
  ])
}

/** Parses a token file. A file without tokens is refused. */
export function parseTokens(text: string, file: string): TokenBook {
  return createTokenBook(requireTokens(parseTokenEntries(text, file), file))
}

/** Refuses a token file without tokens. */
export function requireTokens(entries: readonly TokenEntry[], file: string): readonly TokenEntry[] {
  if (entries.length > 0) return entries
  throw tokenError(`The token file "${file}" contains no token`)
}

/**
 * Parses a token file. Each line has a token, an optional name, optional scopes and limits, such as
 * `4f0c… alice read,run runs=2 cpu=10m`. Comments begin with `#`. There may be no token.
 */
export function parseTokenEntries(text: string, file: string): readonly TokenEntry[] {
  const entries: TokenEntry[] = []
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const [token, ...words] = line.trim().split(/\s+/)
    if (!token || token.startsWith('#')) continue
    const location = `line ${at + 1} of "${file}"`
    const [name, scopes, ...rest] = words.filter((word) => !word.includes('='))
    if (rest.length > 0) throw tokenError(`Expected "token name scopes limits" in ${location}`)
    const limits = parseCallerLimits(
      words.filter((word) => word.includes('=')),
      location,
    )
    checkToken(token, location)
    const caller = createCaller(
      name ?? `token-${entries.length + 1}`,
      parseScopes(scopes, location),
      limits,
    )
    if (caller.name === CONSOLE_NAME) {
      throw tokenError(`The name "${caller.name}" in ${location} is that of the console`)
    }
    if (entries.some((each) => each.caller.name === caller.name)) {
      throw tokenError(`The name "${caller.name}" in ${location} is already used`)
    }
    const hash = hashToken(token)
    // The token would have two names and different scopes.
    if (entries.some((each) => each.digest.equals(hash))) {
      throw tokenError(`The token in ${location} repeats that of another line`)
    }
    entries.push({ digest: hash, caller })
  }
  return entries
}

/** True unless a book is known to have a single token. */
export function hasSeveralTokens(tokens: TokenBook | undefined): boolean {
  return tokens !== undefined && tokens.keys?.().size !== 1
}

/** Creates a book of tokens whose digests are known. */
export function createTokenBook(entries: readonly TokenEntry[]): TokenBook {
  return {
    find(token) {
      const hash = hashToken(token)
      let found: Caller | undefined
      for (const each of entries) if (timingSafeEqual(each.digest, hash)) found = each.caller
      return found
    },
    keys: () =>
      new Map(
        entries.map(({ digest, caller }) => [
          caller.name,
          `${digest.toString('hex')} ${[...caller.scopes].sort().join()}`,
        ]),
      ),
    findLimits: (name) => entries.find(({ caller }) => caller.name === name)?.caller.limits,
  }
}

/** Creates the caller of a token. */
export function createCaller(
  name: string,
  scopes: readonly Scope[],
  limits?: CallerLimits,
): Caller {
  return { name, scopes: new Set(scopes), account: name, limits }
}

function parseScopes(text: string | undefined, location: string): readonly Scope[] {
  if (text === undefined) return DEFAULT_SCOPES
  const scopes = text.split(',')
  const wrong = scopes.find((each) => !(SCOPES as readonly string[]).includes(each))
  if (wrong === undefined) return scopes as Scope[]
  // A long text may be a token in the wrong column.
  const shown = wrong.length < MIN_LENGTH ? ` "${wrong}"` : ''
  throw tokenError(`Unknown scope${shown} in ${location}, expected ${SCOPES.join(', ')}`)
}

function checkToken(token: string, location: string): void {
  if (token.length >= MIN_LENGTH && /^[!-~]+$/.test(token)) return
  // The message omits the token, because even an invalid token is a secret.
  throw tokenError(`The token of ${location} needs at least ${MIN_LENGTH} visible ASCII characters`)
}

function tokenError(message: string): SkillsError {
  return new SkillsError('usage/invalid', message, {
    hint: 'Create a token with: openssl rand -hex 32',
  })
}

/** Digests have equal length, so that comparing them does not reveal the length of a token. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
