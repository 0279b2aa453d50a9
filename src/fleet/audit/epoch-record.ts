import { hash } from 'node:crypto'
import { z } from 'zod'
import type { ChainLink } from '../../core/audit/chain.ts'
import {
  findSigners,
  formatEnvelope,
  parseEnvelope,
  signEnvelope,
  type SignedEnvelope,
  type SigningKey,
} from '../../core/signing/envelope/dsse.ts'
import type { VerificationKey } from '../../core/signing/keys/verification-key.ts'
import { MerkleTree } from './merkle-tree.ts'

const PAYLOAD_TYPE = 'application/vnd.skills.audit-epoch.v1+json'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const position = z.int().min(0)

const epochSchema = z.object({
  tenant: z.string(),
  /** Counted from 1. */
  epoch: z.int().min(1),
  time: z.string(),
  /** Hash of the epoch before; zeros before the first. */
  before: sha256,
  /** Position in the stream up to which it covers the chains. */
  until: position,
  /** Number of all chains, and the Merkle root over their last records. */
  chains: position,
  root: sha256,
  /** Chain, number and hash of the last record of each chain that changed since the epoch before. */
  links: z.array(z.tuple([z.string(), position, sha256])),
})

export type EpochRecord = z.infer<typeof epochSchema>

export interface ReadEpoch {
  record: EpochRecord
  hash: string
  envelope: SignedEnvelope
}

/** Encodes an epoch, and signs it if there is a key. */
export function encodeEpoch(
  record: EpochRecord,
  key: SigningKey | undefined,
): { body: string; hash: string } {
  const payload = Buffer.from(JSON.stringify(record))
  const envelope = key
    ? signEnvelope(PAYLOAD_TYPE, payload, key)
    : { payloadType: PAYLOAD_TYPE, payload, signatures: [] }
  return { body: formatEnvelope(envelope), hash: hash('sha256', payload) }
}

/** Parses a message of the epochs; undefined if it is not an epoch. */
export function decodeEpoch(body: Uint8Array): ReadEpoch | undefined {
  try {
    const envelope = parseEnvelope(Buffer.from(body).toString(), (problem) => new Error(problem))
    if (envelope.payloadType !== PAYLOAD_TYPE) return undefined
    const record = epochSchema.parse(JSON.parse(envelope.payload.toString()))
    return { record, hash: hash('sha256', envelope.payload), envelope }
  } catch {
    return undefined
  }
}

/** True if one of the keys signed the epoch. */
export function isSignedBy({ envelope }: ReadEpoch, keys: readonly VerificationKey[]): boolean {
  return findSigners(envelope, keys).length > 0
}

/** Ends of all chains, as the epochs up to now state them. */
export class EpochState {
  #tree = new MerkleTree()
  #indexes = new Map<string, number>()
  #links = new Map<string, ChainLink>()
  number = 0
  hash = '0'.repeat(64)
  until = 0

  get root(): string {
    return this.#tree.root
  }

  get chains(): number {
    return this.#tree.size
  }

  /** Last record of a chain; undefined if no epoch names the chain. */
  link(chain: string): ChainLink | undefined {
    return this.#links.get(chain)
  }

  /** Adds the changes of the next epoch. */
  addLinks(links: EpochRecord['links']): void {
    for (const [chain, seq, linkHash] of links) {
      const index = this.#indexes.get(chain) ?? this.#indexes.size
      this.#indexes.set(chain, index)
      this.#links.set(chain, { seq, hash: linkHash })
      this.#tree.set(index, `${chain} ${seq} ${linkHash}`)
    }
  }

  /** Continues after an epoch whose links were added. */
  advance({ record, hash: epochHash }: ReadEpoch): void {
    this.number = record.epoch
    this.hash = epochHash
    this.until = record.until
  }
}

export function isSameLink(one: ChainLink | undefined, other: ChainLink | undefined): boolean {
  return one?.seq === other?.seq && one?.hash === other?.hash
}
