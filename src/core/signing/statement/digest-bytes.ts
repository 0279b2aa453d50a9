import { hash } from 'node:crypto'

/** SHA-256 of bytes, `sha256:<hex>`. */
export function digestBytes(bytes: Uint8Array): string {
  return `sha256:${hash('sha256', bytes)}`
}
