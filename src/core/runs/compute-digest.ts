import { hash } from 'node:crypto'

/** Returns the digest as `sha256:<hex>`. */
export function computeDigest(content: string | Uint8Array): string {
  return `sha256:${hash('sha256', content)}`
}
