import { hash as digest } from 'node:crypto'
import type { AuditEntry, AuditRecord } from './audit-record.ts'

/** Position in a chain: number and hash of a record. */
export interface ChainLink {
  seq: number
  hash: string
}

/** Record about the log itself. */
export interface LogEntry {
  event: string
  /** Message for a human reader. */
  problem: string
  [fact: string]: unknown
}

/** Link before the first record. */
export const CHAIN_START: ChainLink = { seq: 0, hash: '0'.repeat(64) }

/**
 * Encodes a record as a line and returns the link for the next one. The hash covers the text before
 * it.
 */
export function encodeLine(
  entry: AuditEntry | LogEntry,
  after: ChainLink,
  time: Date,
): { line: string; link: ChainLink } {
  const seq = after.seq + 1
  const body = JSON.stringify({ seq, time: time.toISOString(), prev: after.hash, ...entry })
  const hash = hashBody(body)
  return { line: `${body.slice(0, -1)},"hash":"${hash}"}\n`, link: { seq, hash } }
}

const HASH_SUFFIX = /,"hash":"([0-9a-f]{64})"\}$/

export interface DecodedLine {
  record: AuditRecord
  /** False if the hash does not match. */
  isIntact: boolean
}

/** Parses a line. Undefined if it is not a record. */
export function decodeLine(line: string): DecodedLine | undefined {
  const [suffix = '', storedHash] = HASH_SUFFIX.exec(line) ?? []
  let record: AuditRecord
  try {
    record = JSON.parse(line) as AuditRecord
  } catch {
    return undefined
  }
  if (typeof record !== 'object' || record === null || !hasLinkFields(record)) return undefined
  const body = `${line.slice(0, line.length - suffix.length)}}`
  return { record, isIntact: storedHash === record.hash && hashBody(body) === storedHash }
}

function hasLinkFields({ seq, prev, hash }: AuditRecord): boolean {
  return Number.isSafeInteger(seq) && typeof prev === 'string' && typeof hash === 'string'
}

function hashBody(body: string): string {
  return digest('sha256', body)
}
