import { CHAIN_START, encodeLine, type ChainLink } from '../../core/audit/chain.ts'
import type { Engine, StoredMessage } from '../engine/engine.ts'
import { findLastLink, findNewestLink, readLastLink } from './chain-reader.ts'
import { formatChainName, formatChainSubject, type ChainName } from './chain-name.ts'
import { createStartedEntry } from './chain-records.ts'

/** Bytes of one message; the engine refuses those of more than 1 MB. */
export const MAX_BODY_BYTES = 256 * 1024

/** Another process writes to the chain. */
export class ChainTakenError extends Error {
  override name = 'ChainTakenError'
}

/** The engine lost records that it had acknowledged. */
export class LostRecordsError extends Error {
  override name = 'LostRecordsError'
}

/** Bytes that are not acknowledged yet. */
interface UnfinishedWrite {
  pieces: Uint8Array[]
  /** End of the chain after the last piece. */
  link: ChainLink
}

/**
 * Appends to one chain, one message after the other. Each write succeeds only if the last message of the
 * chain is the one that this process wrote last, so a repeated or late write cannot change the order. A
 * write without an acknowledgement may have been stored: it is completed before anything else is written.
 */
export class ChainWriter {
  #engine: Engine
  #name: ChainName
  #subject: string
  #tail = CHAIN_START
  /** Position of the last message of the chain; 0 before the first. */
  #storedAt = 0
  #unfinished: UnfinishedWrite | undefined

  constructor(engine: Engine, name: ChainName) {
    this.#engine = engine
    this.#name = name
    this.#subject = formatChainSubject(name)
  }

  /** Link to the last record. */
  get tail(): ChainLink {
    return this.#tail
  }

  /** Starts the chain, or completes the last write. */
  async prepare(): Promise<void> {
    if (this.#unfinished) await this.#finish()
    if (this.#storedAt > 0) return
    const before = await findNewestLink(this.#engine, this.#name.node)
    if (before?.start === this.#name.start) throw takenError(this.#name)
    const { line, link } = encodeLine(
      createStartedEntry(this.#name, before),
      CHAIN_START,
      new Date(),
    )
    await this.write(line, link)
  }

  /** Appends complete lines, of which the last one has this link. Requires `prepare()`. */
  async write(lines: string, link: ChainLink): Promise<void> {
    this.#unfinished = { pieces: divide(Buffer.from(lines)), link }
    await this.#finish()
  }

  /** Continues after records that the engine lost. The chain has a record of the gap. */
  async recordLoss(): Promise<void> {
    const remembered = this.#tail
    const last = await this.#engine.last('audit', this.#subject)
    const range = { first: 1, last: last?.seq ?? 0 }
    const found =
      (last &&
        (readLastLink(last.body) ?? (await findLastLink(this.#engine, this.#name, range)))) ??
      CHAIN_START
    this.#storedAt = last?.seq ?? 0
    this.#unfinished = undefined
    this.#tail = found
    const problem = 'The engine lost records at the end of the chain'
    const damage = { event: 'damaged', problem, found, remembered }
    // The numbers of lost records are not used again.
    const after = { ...found, seq: Math.max(found.seq, remembered.seq) }
    const { line, link } = encodeLine(damage, after, new Date())
    const isTorn = last !== undefined && last.body.at(-1) !== 0x0a
    await this.write(isTorn ? `\n${line}` : line, link)
  }

  async #finish(): Promise<void> {
    const write = this.#unfinished as UnfinishedWrite
    for (let [piece] = write.pieces; piece; [piece] = write.pieces) {
      this.#storedAt = await this.#put(piece)
      write.pieces.shift()
    }
    this.#tail = write.link
    this.#unfinished = undefined
  }

  async #put(piece: Uint8Array): Promise<number> {
    const seq = await this.#engine.replace('audit', this.#subject, {
      body: piece,
      seq: this.#storedAt,
    })
    if (seq !== undefined) return seq
    const last = await this.#engine.last('audit', this.#subject)
    if (last && isSameBody(last, piece) && last.seq > this.#storedAt) return last.seq
    if ((last?.seq ?? 0) < this.#storedAt) {
      throw new LostRecordsError(`The engine lost the end of ${formatChainName(this.#name)}`)
    }
    throw takenError(this.#name)
  }
}

function takenError(name: ChainName): ChainTakenError {
  return new ChainTakenError(`Another process writes to the chain ${formatChainName(name)}`)
}

function isSameBody({ body }: StoredMessage, piece: Uint8Array): boolean {
  return Buffer.compare(body, piece) === 0
}

function divide(bytes: Buffer): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += MAX_BODY_BYTES) {
    pieces.push(bytes.subarray(at, at + MAX_BODY_BYTES))
  }
  return pieces
}
