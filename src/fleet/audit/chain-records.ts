import { randomUUID } from 'node:crypto'
import type { AuditRecord } from '../../core/audit/audit-record.ts'
import type { ChainLink, LogEntry } from '../../core/audit/chain.ts'
import { formatChainName, type ChainName } from './chain-name.ts'

/** A record of a chain that an earlier start of the node wrote. */
export interface LinkBefore extends ChainLink {
  start: string
}

/** First record of a chain. It names the last record of the node's chain before. */
export function createStartedEntry(name: ChainName, before: LinkBefore | undefined): LogEntry {
  const after = before ? ` after record ${before.seq} of ${name.node}.${before.start}` : ''
  return {
    event: 'started',
    problem: `Chain ${formatChainName(name)} starts${after}`,
    node: name.node,
    start: name.start,
    // Two processes never write equal bytes, so a repeated write recognizes its first try.
    writer: randomUUID(),
    before: before ?? null,
  }
}

/** Last record of a node that was shut down. A chain without it was interrupted, or still grows. */
export function createLeftEntry(name: ChainName): LogEntry {
  const { node, start } = name
  return { event: 'left', problem: `Node ${node} leaves the fleet`, node, start }
}

/** A first record, as read back; undefined if a record is something else. */
export function readStartedRecord(
  record: AuditRecord,
): (ChainName & { before: LinkBefore | undefined }) | undefined {
  const { event, node, start, before } = record as unknown as Record<string, unknown>
  if (event !== 'started' || typeof node !== 'string' || typeof start !== 'string') return undefined
  if (before === null) return { node, start, before: undefined }
  const link: Partial<LinkBefore> | undefined = before
  const isLink =
    Number.isSafeInteger(link?.seq) &&
    typeof link?.hash === 'string' &&
    typeof link.start === 'string'
  return isLink ? { node, start, before: link as LinkBefore } : undefined
}

export function isLeftRecord({ event }: AuditRecord): boolean {
  return (event as string) === 'left'
}
