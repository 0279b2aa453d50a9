import { PROTOCOL } from './node-state.ts'

/** Messages are JSON in UTF-8. */
export function encodeMessage(message: object): string {
  return JSON.stringify(message)
}

/** Undefined if the bytes are no object: other programs may use the subject. Callers check the shape. */
export function decodeMessage(body: Uint8Array): object | undefined {
  if (body.length === 0) return undefined
  try {
    const value: unknown = JSON.parse(
      Buffer.from(body.buffer, body.byteOffset, body.length).toString(),
    )
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

const MAJOR = PROTOCOL.split('.', 1)[0]

/** True if this program understands messages of a version. Fields that it does not know are ignored. */
export function understands(version: unknown): boolean {
  return typeof version === 'string' && version.split('.', 1)[0] === MAJOR
}
