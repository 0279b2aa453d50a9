import { gunzipSync, gzipSync } from 'node:zlib'
import { parseSessionState } from '../../core/skill-context/read-session-state.ts'
import type { SessionState } from '../../core/skill-context/session-state.ts'
import { SkillsError } from '../../errors.ts'
import { formatBytes } from '../../util/quantity.ts'
import { sealJson } from '../../util/sealed-json.ts'

/** Larger states are compressed. */
const PLAIN_BYTES = 64 * 1024
/** The engine accepts messages of 1 MB, and sends them in base64. */
const MAX_BODY_BYTES = 512 * 1024
/** A state with more bytes was not written by this program. */
const MAX_TEXT_BYTES = 64 * 1024 ** 2

/** Encodes a state as the body of one message. Throws `store/full` if it is too large. */
export function encodeSession(state: SessionState): Uint8Array {
  const text = Buffer.from(sealJson(state))
  const body = text.length > PLAIN_BYTES ? gzipSync(text) : text
  if (body.length <= MAX_BODY_BYTES && text.length <= MAX_TEXT_BYTES) return body
  throw new SkillsError(
    'store/full',
    `The loaded skills of the session have ${formatBytes(body.length)}, expected at most ${formatBytes(MAX_BODY_BYTES)}`,
    { hint: 'Unload skills, or start another session' },
  )
}

/** Decodes a stored state. Throws if it was damaged; it is never treated as empty. */
export function decodeSession(body: Uint8Array): SessionState {
  const isCompressed = body[0] === 0x1f && body[1] === 0x8b
  return parseSessionState(Buffer.from(isCompressed ? decompress(body) : body).toString())
}

/** Empty if it is damaged, which no state is. */
function decompress(body: Uint8Array): Uint8Array {
  try {
    return gunzipSync(body, { maxOutputLength: MAX_TEXT_BYTES })
  } catch {
    return new Uint8Array()
  }
}
