import type { AuditLog } from '../../../src/core/audit/audit-log.ts'
import type { AuditSource } from '../../../src/core/audit/audit-source.ts'
import { encodeLine, CHAIN_START, type ChainLink } from '../../../src/core/audit/chain.ts'

/** An in-memory log of one segment. */
export function createMemoryAudit(): { log: AuditLog; source: AuditSource } {
  const lines: string[] = []
  let last: ChainLink = CHAIN_START
  return {
    log: {
      async append(entry) {
        const { line, link } = encodeLine(entry, last, new Date())
        lines.push(line.trimEnd())
        return (last = link)
      },
      async flush() {},
    },
    source: {
      head: async () => last,
      async segments() {
        if (lines.length === 0) return []
        return [
          {
            name: 'memory',
            async *lines() {
              yield lines.map((text, at) => ({ text, number: at + 1, isWhole: true }))
            },
            async *newestFirst() {
              yield lines.toReversed()
            },
          },
        ]
      },
    },
  }
}
