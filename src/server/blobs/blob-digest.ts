import { createHash, type Hash } from 'node:crypto'
import { invalidParam, type SkillsError } from '../../errors.ts'

/** The value of Repr-Digest for a digest as the store writes it. */
export function formatReprDigest(digest: string): string {
  return `sha-256=:${Buffer.from(digest.replace('sha256:', ''), 'hex').toString('base64')}:`
}

/** Strong: the same content has the same tag. */
export function formatEntityTag(digest: string): string {
  return `"${digest.replace('sha256:', '')}"`
}

/** Whether a list of tags, as If-None-Match has it, names this one. */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((each) => [tag, `W/${tag}`, '*'].includes(each.trim()))
}

/** Checks a body against the digest that its sender announced, as it passes. */
export function createDigestCheck(header: string | undefined): {
  see(chunk: Uint8Array): void
  /** Throws `params/invalid` where the content is another. */
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
        throw digestError('the content that came has another digest')
      }
    },
  }
}

function digestError(reason: string): SkillsError {
  return invalidParam('Repr-Digest', reason)
}
