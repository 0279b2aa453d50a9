import { createHash } from 'node:crypto'
import { runInSlices, type Steps } from '../../util/slices/run-in-slices.ts'
import { writeJson, writeText } from '../../util/slices/write-json.ts'
import type { Plain } from '../skills/manifest/manifest.ts'
import type { Redactor } from './redaction/redact.ts'

/** Bytes of each input that the audit log and approvers see. */
const MAX_START_BYTES = 64 * 1024

/** Code, arguments or input of a run, redacted. The value itself is not retained. */
export interface DescribedInput {
  /** `sha256:<hex>` of all bytes. */
  digest: string
  sizeBytes: number
  /** The first bytes. */
  start: Buffer
}

/** Describes an input: text and bytes as they are, other values as JSON. */
export async function describeInput(
  content: Plain | Uint8Array,
  redactor?: Redactor,
): Promise<DescribedInput> {
  const hash = createHash('sha256')
  const starts: Buffer[] = []
  let sizeBytes = 0
  const take = (bytes: Uint8Array) => {
    hash.update(bytes)
    if (sizeBytes < MAX_START_BYTES) starts.push(Buffer.from(bytes.subarray(0, MAX_START_BYTES)))
    sizeBytes += bytes.length
  }
  if (content instanceof Uint8Array) take(content)
  else await runInSlices(writeContent(content, take, redactor))
  const start = Buffer.concat(starts).subarray(0, MAX_START_BYTES)
  return { digest: `sha256:${hash.digest('hex')}`, sizeBytes, start }
}

function* writeContent(
  content: Plain,
  sink: (bytes: Buffer) => void,
  redactor: Redactor | undefined,
): Steps<void> {
  const filter = redactor?.hasSecrets === true ? redactor : undefined
  if (typeof content === 'string') yield* writeText(content, sink, filter)
  else yield* writeJson(content, sink, filter)
}

/** Returns the beginning of an input as text. */
export function renderInputStart({ start, sizeBytes }: DescribedInput): string {
  const text = start.toString('utf8')
  const more = sizeBytes - start.length
  return more > 0 ? `${text}… (+${more} bytes)` : text
}
