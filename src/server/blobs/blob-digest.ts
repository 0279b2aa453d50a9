import { createHash, type Hash } from 'node:crypto'
import { invalidParamError, type SkillsError } from '../../errors.ts'

/** Formats a digest of the store as a Repr-Digest value. */
export function formatReprDigest(digest: string): string {
  return `sha-256=:${Buffer.from(digest.replace('sha256:', ''), 'hex').toString('base64')}:`
}

/** A strong entity tag: equal content has an equal tag. */
export function formatEntityTag(digest: string): string {
  return `"${digest.replace('sha256:', '')}"`
}

/** True if an If-None-Match list contains the tag. */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((each) => [tag, `W/${tag}`, '*'].includes(each.trim()))
}

/** Verifies a streamed body against the digest in its header. */
export function createDigestCheck(header: string | undefined): {
  see(chunk: Uint8Array): void
  /** Throws `params/invalid` if the content has another digest. */
  done(): void
} {
  const expected = /(?:^|[,\s])sha-256=:([A-Za-z0-9+/=]{44}):/.exec(header ?? '')?.[1]
  if (header !== undefined && expected === undefined) {
    throw digestError('expected a digest such as "sha-256=:<base64>:"')
  }
  const hash: Hash | undefined = expected === undefined ? undefined : createHash('sha256')
  return {
    see: (chunk) => void hash?.update(chunk),
    done() {
      if (hash && hash.digest('base64') !== expected) {
        throw digestError('the received content has a different digest')
      }
    },
  }
}

function digestError(reason: string): SkillsError {
  return invalidParamError('Repr-Digest', reason)
}
