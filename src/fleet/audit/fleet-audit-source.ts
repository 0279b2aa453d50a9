import type { AuditSource } from '../../core/audit/audit-source.ts'
import { CHAIN_START } from '../../core/audit/chain.ts'
import type { Engine } from '../engine/engine.ts'
import { formatChainName, parseChainSubject, type ChainName } from './chain-name.ts'
import { openChainSegment } from './chain-reader.ts'

interface FoundChain {
  name: ChainName
  first: number
  last: number
}

/**
 * Reads the chains of a fleet, or those of a node or a start. Each is a segment. Records of several chains
 * have equal numbers, so pages that continue at a number are complete for a single chain only.
 */
export function openFleetAuditSource(engine: Engine, only: Partial<ChainName> = {}): AuditSource {
  const chains = new Map<string, FoundChain>()
  const pattern = `au.${only.node ?? '*'}.${only.start ?? '*'}`
  let readUntil = 0
  let reading: Promise<void> = Promise.resolve()
  const readNew = async () => {
    for await (const { subject, seq } of engine.list('audit', pattern, { afterSeq: readUntil })) {
      readUntil = seq
      const name = parseChainSubject(subject)
      if (!name) continue
      const key = formatChainName(name)
      chains.set(key, { name, first: chains.get(key)?.first ?? seq, last: seq })
    }
  }
  return {
    // Epochs record the ends of chains; verifyFleetAudit() compares them.
    head: async () => CHAIN_START,
    async segments() {
      reading = reading.catch(() => {}).then(readNew)
      await reading
      return [...chains].map(([key, { name, first, last }]) => ({
        name: key,
        ...openChainSegment(engine, name, { first, last }),
      }))
    },
  }
}
