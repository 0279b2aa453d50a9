import type { Engine } from '../engine/engine.ts'
import { decodeMessage, encodeMessage } from '../messages/encoding.ts'
import type { NodeIdentity } from '../node/identity.ts'
import { readEngineClock } from './engine-clock.ts'

const LEASE_SUBJECT = 'k.keeper.lease'

/** Times of the lease, in milliseconds. */
export interface LeaseTimes {
  renewMs: number
  /** A keeper whose last renewal is older stops. Less than `expiredMs`. */
  validMs: number
  /** A lease whose last renewal is older, on the clock of the engine, may be taken over. */
  expiredMs: number
}

export const LEASE_TIMES: LeaseTimes = { renewMs: 3000, validMs: 10_000, expiredMs: 15_000 }

/** The keeper as the lease names it. */
export interface LeaseHolder {
  node: string
  start: string
  /** True if the keeper has stopped, so that another one need not wait. */
  isReleased: boolean
}

/** The lease of the keeper, as one node sees it. */
export class Lease {
  #engine: Engine
  #identity: NodeIdentity
  #expiredMs: number
  /** Position of the lease when this node looked last. */
  #seenSeq = 0
  /** Position of the lease while this node has it. */
  #ownSeq = 0

  constructor(engine: Engine, identity: NodeIdentity, { expiredMs }: LeaseTimes) {
    this.#engine = engine
    this.#identity = identity
    this.#expiredMs = expiredMs
  }

  /** Takes the lease if it is free. Of several nodes that try, one succeeds. */
  async take(): Promise<boolean> {
    const stored = await this.#engine.last('state', LEASE_SUBJECT)
    if (stored && !this.#isFree(stored.body)) {
      const isRenewed = stored.seq !== this.#seenSeq
      this.#seenSeq = stored.seq
      // A renewed lease is not expired: the clock of the engine, which costs a write, is not needed.
      if (isRenewed) return false
      const age = (await readEngineClock(this.#engine)) - stored.storedAt
      if (age <= this.#expiredMs) return false
    }
    return await this.#write(stored?.seq ?? 0, false)
  }

  /** Renews the lease; false if another node has taken it. */
  async renew(): Promise<boolean> {
    return await this.#write(this.#ownSeq, false)
  }

  /** Lets another node take the lease at once. */
  async release(): Promise<void> {
    await this.#write(this.#ownSeq, true)
  }

  /** True for a released lease, and for one of this node, whose renewal was not acknowledged in time. */
  #isFree(body: Uint8Array): boolean {
    const holder = decodeMessage(body) as LeaseHolder | undefined
    const { name, start } = this.#identity
    return holder?.isReleased === true || (holder?.node === name && holder.start === start)
  }

  async #write(expectedSeq: number, isReleased: boolean): Promise<boolean> {
    const { name: node, start } = this.#identity
    const holder: LeaseHolder = { node, start, isReleased }
    const body = encodeMessage(holder)
    const seq = await this.#engine.replace('state', LEASE_SUBJECT, { body, seq: expectedSeq })
    if (seq === undefined) return false
    this.#ownSeq = seq
    return true
  }
}

/** Reads which node is the keeper; undefined if there is none. */
export async function readLeaseHolder(engine: Engine): Promise<LeaseHolder | undefined> {
  const stored = await engine.last('state', LEASE_SUBJECT)
  return stored && (decodeMessage(stored.body) as LeaseHolder | undefined)
}
