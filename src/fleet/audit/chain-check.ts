import type { AuditRecord } from '../../core/audit/audit-record.ts'
import { CHAIN_START, type ChainLink, type DecodedLine } from '../../core/audit/chain.ts'
import { LogLineSplitter } from '../../core/audit/split-lines.ts'
import { ChainVerifier, type AuditReport } from '../../core/audit/verify-audit.ts'
import type { StoredMessage } from '../engine/engine.ts'
import { formatChainName, type ChainName } from './chain-name.ts'
import { isLeftRecord } from './chain-records.ts'
import { isSameLink } from './epoch-record.ts'

/** Ends of the chain that are remembered at least; links of later chains may refer to them. */
const MIN_ENDS = 64

/** The end of a chain after a message. */
interface ChainEnd {
  /** Position of the message in the stream. */
  at: number
  link: ChainLink
}

/** Follows one chain of a fleet, message by message. */
export class FleetChainCheck {
  readonly name: ChainName
  readonly key: string
  #splitter = new LogLineSplitter()
  #verifier = new ChainVerifier([], CHAIN_START, { links: [] })
  #ends: ChainEnd[] = []
  #firstTime: string | null = null
  #last: AuditRecord | undefined
  #first: DecodedLine | undefined

  constructor(name: ChainName) {
    this.name = name
    this.key = formatChainName(name)
  }

  /** The first record; undefined before one was read. */
  get first(): DecodedLine | undefined {
    return this.#first
  }

  get firstTime(): string | null {
    return this.#firstTime
  }

  get last(): AuditRecord | undefined {
    return this.#last
  }

  get hasLeft(): boolean {
    return this.#last !== undefined && isLeftRecord(this.#last)
  }

  /** Returns the records that end in this message. */
  read({ body, seq: at }: StoredMessage): DecodedLine[] {
    const found: DecodedLine[] = []
    for (const line of this.#splitter.push(body)) {
      const decoded = this.#verifier.checkLine(line, this.key, false)
      if (decoded) found.push(decoded)
    }
    const last = found.at(-1)?.record
    if (!last) return found
    this.#first ??= found[0]
    this.#firstTime ??= found[0]?.record.time ?? null
    this.#last = last
    const link = { seq: last.seq, hash: last.hash }
    if (!isSameLink(this.#ends.at(-1)?.link, link)) this.#ends.push({ at, link })
    return found
  }

  /** Last record of the messages up to a position. */
  endAt(position: number): ChainLink | undefined {
    return this.#ends.findLast(({ at }) => at <= position)?.link
  }

  /** True if a message ended with this record. */
  hadEnd(link: ChainLink): boolean {
    return this.#ends.some((end) => isSameLink(end.link, link))
  }

  /** Forgets ends that an epoch has confirmed. */
  forgetEnds(position: number): void {
    const confirmed = this.#ends.findLastIndex(({ at }) => at <= position)
    this.#ends.splice(0, Math.max(0, Math.min(confirmed, this.#ends.length - MIN_ENDS)))
  }

  /** True if records follow those up to a position. */
  continuesAfter(position: number): boolean {
    return (this.#ends.at(-1)?.at ?? 0) > position
  }

  finish(): AuditReport {
    for (const line of this.#splitter.end()) this.#verifier.checkLine(line, this.key, true)
    return this.#verifier.finish(1)
  }
}
