import { createCaller, type TokenEntry } from '../../server/auth/tokens.ts'
import { SCOPES, type Scope } from '../../server/auth/caller.ts'
import type { CallerLimits } from '../../server/quotas/caller-limits.ts'
import { decodeToken, encodeToken } from '../catalog/subject-token.ts'
import type { StoredMessage } from '../engine/engine.ts'
import { decodeMessage, encodeMessage } from '../messages/encoding.ts'

const PREFIX = 'ac.tokens.'
export const TOKENS_PATTERN: string = `${PREFIX}*`

/** `ac.tokens.<name>`: a token by its digest, or the note that it was removed. */
interface StoredToken {
  /** SHA-256 in hexadecimal. */
  digest: string
  scopes: readonly string[]
  limits: CallerLimits | undefined
}

type StoredFields = { readonly [Name in keyof StoredToken]?: unknown }

const DIGEST = /^[0-9a-f]{64}$/

export function nameTokenSubject(name: string): string {
  return PREFIX + encodeToken(name)
}

export function encodeTokenEntry({ digest, caller }: TokenEntry): string {
  const { limits } = caller
  const stored: StoredToken = {
    digest: digest.toString('hex'),
    scopes: [...caller.scopes].sort(),
    limits,
  }
  return encodeMessage(stored)
}

/** A removed token stays as a note, so that nodes learn the removal, and a fleet with tokens is not open. */
export const REMOVED_TOKEN: string = encodeMessage({ isRemoved: true })

/** Undefined for a removed token, and for a damaged one, which gives no access. */
export function readTokenEntry({ subject, body }: StoredMessage): TokenEntry | undefined {
  const name = decodeToken(subject.slice(PREFIX.length))
  const stored: StoredFields | undefined = decodeMessage(body)
  if (name === undefined || !stored) return undefined
  const { digest, scopes, limits } = stored
  if (typeof digest !== 'string' || !DIGEST.test(digest) || !isScopeList(scopes)) return undefined
  const parsed = parseLimits(limits)
  if (parsed === 'damaged') return undefined
  return { digest: Buffer.from(digest, 'hex'), caller: createCaller(name, scopes, parsed) }
}

function isScopeList(value: unknown): value is readonly Scope[] {
  return (
    Array.isArray(value) && value.every((each) => (SCOPES as readonly unknown[]).includes(each))
  )
}

/** A token whose limits cannot be read is not accepted: without them it could do more. */
function parseLimits(value: unknown): CallerLimits | undefined | 'damaged' {
  if (value === undefined) return undefined
  if (typeof value !== 'object' || value === null) return 'damaged'
  const { quotas, runs, callsPerSecond } = value as Partial<CallerLimits>
  if (typeof quotas !== 'object' || quotas === null) return 'damaged'
  const numbers = [...Object.values(quotas), runs, callsPerSecond].filter(
    (each) => each !== undefined,
  )
  const areValid = numbers.every((each) => Number.isFinite(each) && each > 0)
  return areValid ? { quotas, runs, callsPerSecond } : 'damaged'
}
