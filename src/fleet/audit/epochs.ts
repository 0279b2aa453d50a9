import type { ChainLink } from '../../core/audit/chain.ts'
import type { SigningKey } from '../../core/signing/envelope/dsse.ts'
import type { Engine } from '../engine/engine.ts'
import {
  CHAINS_PATTERN,
  EPOCHS_SUBJECT,
  formatChainName,
  parseChainSubject,
  type ChainName,
} from './chain-name.ts'
import { findLastLink, readLastLink } from './chain-reader.ts'
import {
  decodeEpoch,
  encodeEpoch,
  EpochState,
  isSameLink,
  type EpochRecord,
} from './epoch-record.ts'

/** Changed chains of one epoch; a message of the engine has at most 1 MB. */
const MAX_LINKS = 2000

export interface EpochOptions {
  /** Key of Ed25519 that signs the epochs. */
  key?: SigningKey | undefined
}

/** An epoch that was written. Kept elsewhere, it is an anchor for a later verification. */
export interface WrittenEpoch {
  number: number
  hash: string
  /** Chains that it names because they changed. */
  changed: number
  /** True if further chains changed, which the next epoch names. */
  hasMore: boolean
}

/** Writes one epoch. A keeper that writes many opens an `EpochWriter`, which reads the earlier ones once. */
export async function writeEpoch(
  engine: Engine,
  options: EpochOptions = {},
): Promise<WrittenEpoch | undefined> {
  return await new EpochWriter(engine, options).write()
}

/** Writes epochs: the ends of all chains, from which records that are removed later are missing. */
export class EpochWriter {
  #engine: Engine
  #key: SigningKey | undefined
  #state = new EpochState()
  /** Position of the last message of the epochs. */
  #storedAt = 0

  constructor(engine: Engine, { key }: EpochOptions = {}) {
    this.#engine = engine
    this.#key = key
  }

  /** Writes the next epoch. Returns undefined if another keeper wrote one meanwhile. */
  async write(): Promise<WrittenEpoch | undefined> {
    let written: WrittenEpoch | undefined
    try {
      await this.#readEpochs()
      written = await this.#writeNext()
      return written
    } finally {
      // The state has the links of an epoch that may not be stored.
      if (!written) this.#forget()
    }
  }

  async #writeNext(): Promise<WrittenEpoch | undefined> {
    const { until, ends, hasMore } = await this.#collectEnds()
    const state = this.#state
    const links = [...ends].flatMap(([chain, end]): EpochRecord['links'] =>
      end && !isSameLink(end, state.link(chain)) ? [[chain, end.seq, end.hash]] : [],
    )
    state.addLinks(links)
    const record = {
      tenant: this.#engine.tenant,
      epoch: state.number + 1,
      time: new Date().toISOString(),
      before: state.hash,
      until,
      chains: state.chains,
      root: state.root,
      links,
    }
    const { body, hash } = encodeEpoch(record, this.#key)
    const seq = await this.#engine.replace('audit', EPOCHS_SUBJECT, {
      body,
      seq: this.#storedAt,
    })
    if (seq === undefined) return undefined
    return { number: record.epoch, hash, changed: links.length, hasMore }
  }

  #forget(): void {
    this.#state = new EpochState()
    this.#storedAt = 0
  }

  /** Reads the epochs that were written since, by this keeper or another. */
  async #readEpochs(): Promise<void> {
    const messages = this.#engine.list('audit', EPOCHS_SUBJECT, { afterSeq: this.#storedAt })
    for await (const { body, seq } of messages) {
      this.#storedAt = seq
      const epoch = decodeEpoch(body)
      const isNext =
        epoch?.record.epoch === this.#state.number + 1 && epoch.record.before === this.#state.hash
      // Verification reports the others.
      if (!epoch || !isNext) continue
      this.#state.addLinks(epoch.record.links)
      this.#state.advance(epoch)
    }
  }

  async #collectEnds(): Promise<{
    until: number
    ends: ReadonlyMap<string, ChainLink | undefined>
    hasMore: boolean
  }> {
    const ends = new Map<string, ChainLink | undefined>()
    /** Chains whose last message ends within a record. */
    const partial = new Map<string, ChainName>()
    let { until } = this.#state
    let hasMore = false
    for await (const message of this.#engine.list('audit', CHAINS_PATTERN, { afterSeq: until })) {
      const name = parseChainSubject(message.subject)
      const key = name && formatChainName(name)
      hasMore = key !== undefined && !ends.has(key) && ends.size === MAX_LINKS
      if (hasMore) break
      until = message.seq
      if (!name || key === undefined) continue
      const link = readLastLink(message.body)
      ends.set(key, link)
      if (link) partial.delete(key)
      else partial.set(key, name)
    }
    for (const [key, name] of partial) {
      ends.set(key, await findLastLink(this.#engine, name, { first: 1, last: until }))
    }
    return { until, ends, hasMore }
  }
}
