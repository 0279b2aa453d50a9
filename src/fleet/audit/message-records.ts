import type { AuditRecord } from '../../core/audit/audit-record.ts'
import { decodeLine } from '../../core/audit/chain.ts'
import type { Engine, StoredMessage } from '../engine/engine.ts'

/** A record, and its position among those of all chains. */
export interface PositionedRecord {
  record: AuditRecord
  /** The line of the record, without its end. */
  text: string
  position: number
}

/** More than the records that one message holds, so that positions of two messages differ. */
const RECORDS_OF_MESSAGE = 4096

/** First position of the records of a message. */
export function toPosition(seq: number): number {
  return seq * RECORDS_OF_MESSAGE
}

/** Position in the stream of the message that has a record. */
export function toStreamSeq(position: number): number {
  return Math.floor(position / RECORDS_OF_MESSAGE)
}

/**
 * Reads the records that begin in a message of a chain, oldest first. A record that does not fit is
 * continued in later messages of its chain, which are read as well.
 */
export async function readMessageRecords(
  engine: Engine,
  message: StoredMessage,
): Promise<PositionedRecord[]> {
  const lines = Buffer.from(message.body).toString().split('\n')
  const last = lines.pop() ?? ''
  // The rest of an earlier record is not a record itself.
  const open = last === '' ? undefined : await completeLine(engine, message)
  return [...lines, ...(open === undefined ? [] : [open])]
    .slice(0, RECORDS_OF_MESSAGE)
    .flatMap((text, at) => {
      const record = decodeLine(text)?.record
      return record ? [{ record, text, position: toPosition(message.seq) + at }] : []
    })
}

/** Joins the last line of a message with its rest in later ones; undefined if it has no end yet. */
async function completeLine(
  engine: Engine,
  { subject, body, seq }: StoredMessage,
): Promise<string | undefined> {
  const bytes = Buffer.from(body)
  const pieces = [bytes.subarray(bytes.lastIndexOf(0x0a) + 1)]
  for await (const next of engine.list('audit', subject, { afterSeq: seq })) {
    const end = next.body.indexOf(0x0a)
    pieces.push(Buffer.from(end === -1 ? next.body : next.body.subarray(0, end)))
    if (end !== -1) return Buffer.concat(pieces).toString()
  }
  return undefined
}
