import type { ChainLink } from '../../core/audit/chain.ts'
import type { AuditProblem } from '../../core/audit/verify-audit.ts'
import type { ChainName } from './chain-name.ts'

/** A difference between the audit of a fleet and what was written to it. */
export interface FleetAuditProblem {
  /** `link`: a chain does not continue the one before of its node. `epoch`: an epoch is not as written. */
  code: AuditProblem['code'] | 'link' | 'epoch'
  /** `node.start`; undefined if it concerns no chain. */
  chain?: string
  /** Number of the record at which the problem was found; 0 if there is none. */
  seq: number
  /** `node.start:line`, or the position in the stream. */
  place?: string
  sentence: string
}

/** Information that is not a problem. */
export interface FleetAuditNote {
  /**
   * `no-left`: a chain ends without a record of leaving. `torn`: it ends in a partial record. `overlap`: two
   * processes had the name of one node at once.
   */
  code: 'no-left' | 'torn' | 'overlap'
  chain: string
  sentence: string
}

export interface ChainReport extends ChainName {
  records: number
  /** Times of the first and last record; null without records. */
  first: string | null
  last: string | null
  end: ChainLink | null
  /** True if the last record says that the node left the fleet. */
  hasLeft: boolean
  /** True if the chain ends in a partial record. */
  endsTorn: boolean
  isOk: boolean
  /** The first problem, with its place. */
  problem?: string
}

export interface EpochsReport {
  epochs: number
  /** Times of the first and last epoch; null without epochs. */
  first: string | null
  last: string | null
  /** The last epoch: kept elsewhere, it is an anchor for a later verification. */
  end: EpochAnchor | null
  /** Number of epochs that have a signature. */
  signed: number
  /** True if the signatures were verified. */
  areSignaturesChecked: boolean
}

/** An epoch that was kept elsewhere. */
export interface EpochAnchor {
  number: number
  hash: string
}

export interface FleetAuditReport {
  records: number
  /** Oldest first. */
  chains: ChainReport[]
  epochs: EpochsReport
  problems: FleetAuditProblem[]
  notes: FleetAuditNote[]
}

/** Limit on reported problems; further ones usually follow from these. */
const MAX_PROBLEMS = 100

/** Collects problems, and the first one of each chain. */
export class FleetProblems {
  #problems: FleetAuditProblem[] = []
  #firstByChain = new Map<string, FleetAuditProblem>()

  add(problem: FleetAuditProblem): void {
    this.#problems.push(problem)
    const { chain } = problem
    if (chain !== undefined && !this.#firstByChain.has(chain))
      this.#firstByChain.set(chain, problem)
  }

  /** Describes the first problem of a chain. */
  describeFirst(chain: string): string | undefined {
    const first = this.#firstByChain.get(chain)
    if (!first) return undefined
    return first.place === undefined ? first.sentence : `${first.place}: ${first.sentence}`
  }

  list(): FleetAuditProblem[] {
    const more = this.#problems.length - MAX_PROBLEMS
    if (more <= 0) return this.#problems
    const sentence = `${more} more problems are not shown`
    return [...this.#problems.slice(0, MAX_PROBLEMS), { code: 'broken', seq: 0, sentence }]
  }
}
