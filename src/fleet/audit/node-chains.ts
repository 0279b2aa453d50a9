import type { FleetChainCheck } from './chain-check.ts'
import { formatChainName } from './chain-name.ts'
import { readStartedRecord, type LinkBefore } from './chain-records.ts'
import type { FleetAuditNote, FleetProblems } from './fleet-audit-report.ts'

/** Checks that each chain of a node continues the one before. */
export class NodeChains {
  #chains: ReadonlyMap<string, FleetChainCheck>
  #problems: FleetProblems
  /** The chain of each node that started last. */
  #newest = new Map<string, FleetChainCheck>()
  #overlaps = new Map<string, FleetAuditNote>()

  constructor(chains: ReadonlyMap<string, FleetChainCheck>, problems: FleetProblems) {
    this.#chains = chains
    this.#problems = problems
  }

  get overlaps(): readonly FleetAuditNote[] {
    return [...this.#overlaps.values()]
  }

  isNewest(chain: FleetChainCheck): boolean {
    return this.#newest.get(chain.name.node) === chain
  }

  /** Call it when the first record of a chain was read. */
  addChain(chain: FleetChainCheck): void {
    const newest = this.#newest.get(chain.name.node)
    this.#newest.set(chain.name.node, chain)
    const record = chain.first?.record
    // A missing beginning is reported already.
    if (!record || record.seq > 1) return
    const started = readStartedRecord(record)
    if (!started || formatChainName(started) !== chain.key) {
      return this.#addProblem(
        chain,
        `The first record of ${chain.key} is not the start of this chain`,
      )
    }
    if (started.before) this.#checkBefore(chain, started.before, newest)
    else if (newest) {
      this.#addProblem(chain, `${chain.key} names no chain before it, but ${newest.key} is older`)
    }
  }

  /** Call it when a later record of a chain was read. */
  noteRecord(chain: FleetChainCheck): void {
    const newest = this.#newest.get(chain.name.node)
    if (newest && newest !== chain) this.#noteOverlap(chain, newest)
  }

  #checkBefore(
    chain: FleetChainCheck,
    before: LinkBefore,
    newest: FleetChainCheck | undefined,
  ): void {
    const key = formatChainName({ node: chain.name.node, start: before.start })
    const found = this.#chains.get(key)
    const what = `Record ${before.seq} of ${key}, after which ${chain.key} starts,`
    if (!found) return this.#addProblem(chain, `${what} is missing with its whole chain`)
    if (found.hadEnd(before)) {
      if (newest && newest !== found) this.#noteOverlap(newest, chain)
      return
    }
    const isMissing = (found.last?.seq ?? 0) < before.seq
    this.#addProblem(chain, `${what} ${isMissing ? 'is missing' : 'is a different one'}`)
  }

  #noteOverlap({ key, name }: FleetChainCheck, newer: FleetChainCheck): void {
    if (this.#overlaps.has(key)) return
    const sentence = `${key} and ${newer.key} were written at once: two processes had the name ${name.node}`
    this.#overlaps.set(key, { code: 'overlap', chain: key, sentence })
  }

  #addProblem({ key }: FleetChainCheck, sentence: string): void {
    this.#problems.add({ code: 'link', chain: key, seq: 1, place: `${key}:1`, sentence })
  }
}
