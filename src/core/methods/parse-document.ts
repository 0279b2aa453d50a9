import { SkillsError } from '../../errors.ts'
import { isText } from '../../util/mime.ts'
import { formatBytes } from '../../util/quantity.ts'
import type { RunCall } from '../runs/run-call.ts'
import type { Services } from '../services.ts'
import type { PlainObject } from '../skills/manifest/manifest.ts'

export const MAX_DOCUMENT_BYTES = 512 * 1024
/** The time of the parser grows with the square of some texts. */
const TIMEOUT_MS = 3000

interface DocumentBytes {
  /** For errors. */
  name: string
  bytes: Uint8Array
  /** Command or method that reads it instead. */
  hint: string
}

/** Parses a Markdown document, without its front matter. Nothing of it is executed or fetched. */
export async function parseDocument(
  { offloader }: Pick<Services, 'offloader'>,
  { name, bytes, hint }: DocumentBytes,
  { signal, caller }: Pick<RunCall, 'signal' | 'caller'>,
): Promise<PlainObject> {
  if (bytes.length > MAX_DOCUMENT_BYTES) {
    throw refuseDocument(name, `it has more than ${formatBytes(MAX_DOCUMENT_BYTES)}`, hint)
  }
  if (!isText(bytes)) throw refuseDocument(name, 'it is not text', hint)
  const text = Buffer.from(bytes).toString('utf8')
  const tree = await (
    await offloader()
  ).perform('document', { text }, { timeoutMs: TIMEOUT_MS, signal, principal: caller?.principal })
  return tree as unknown as PlainObject
}

// eslint-disable-next-line max-params -- the document, the problem and the way out
export function refuseDocument(name: string, problem: string, hint: string): SkillsError {
  return new SkillsError('params/invalid', `"${name}" cannot be shown as a document: ${problem}`, {
    hint,
    data: { reason: problem },
  })
}
