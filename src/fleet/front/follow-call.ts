import { setTimeout as sleep } from 'node:timers/promises'
import type { AskAnswer, CallAnswer, Fence } from '../messages/call-messages.ts'
import { decodeMessage, encodeMessage } from '../messages/encoding.ts'
import { readFence } from '../messages/fence.ts'
import { declareEnd, type DirectedCall, type DirectingServices } from './directed-call.ts'
import { callTakenError, ignoreAway, unknownCallError, unknownEndError } from './errors.ts'

const POLL_MS = 100
const ASK_MS = 500

/** Messages of a call that the engine has. */
interface FoundCall {
  end: CallAnswer | undefined
  fence: Fence | undefined
}

type Begun = Extract<Fence, { t: 'begun' }>

/**
 * Waits for the end of a call that another node has: a front sent it earlier, or its answer was lost.
 * `digest` is that of the caller's own request: the same id with another one is refused.
 */
export async function followCall(
  services: DirectingServices,
  call: DirectedCall,
  { digest, token }: { digest: string; token: string },
): Promise<CallAnswer | 'revoked'> {
  return await new FollowedCall(services, call, token).wait(digest)
}

class FollowedCall {
  #services: DirectingServices
  #call: DirectedCall
  #token: string
  #lastFact = 0
  /** Successive answers of the holder that it does not know the call. */
  #unknown = 0
  /** Time since which the engine answers that it has nothing of the call. */
  #nothingSince: number | undefined

  constructor(services: DirectingServices, call: DirectedCall, token: string) {
    this.#services = services
    this.#call = call
    this.#token = token
  }

  async wait(digest: string): Promise<CallAnswer | 'revoked'> {
    let answer: CallAnswer | undefined
    const close = this.#services.inbox.open(this.#token, (arrival) => {
      if (arrival.t === 'end') ({ answer } = arrival)
      if (arrival.t !== 'fact' || arrival.n <= this.#lastFact) return
      this.#lastFact = arrival.n
      this.#call.onEvent?.(arrival.fact)
    })
    try {
      for (;;) {
        const found = answer ?? (await this.#look(digest))
        if (found !== undefined) return found
        await sleep(POLL_MS)
      }
    } finally {
      close()
    }
  }

  /** Reads the fence of the call, and its end. */
  async #look(digest: string): Promise<CallAnswer | 'revoked' | undefined> {
    const { engine, enginePatienceMs } = this.#services
    const { id } = this.#call
    if (engine.health.awayMs > enginePatienceMs) throw unknownEndError(id)
    const found = await this.#read().catch(ignoreAway)
    const { end, fence } = found ?? {}
    this.#noteFound(found)
    if (fence?.t === 'begun' && fence.digest !== digest) throw callTakenError(id)
    if (end) return end
    if (fence?.t === 'revoked') return 'revoked'
    return fence ? await this.#askHolder(fence) : undefined
  }

  async #read(): Promise<FoundCall> {
    const { engine, ends } = this.#services
    const { id } = this.#call
    return { end: await ends.read(id), fence: (await readFence(engine, id))?.fence }
  }

  /**
   * Throws if the engine has had nothing of the call for longer than a write of another node can wait: its
   * node died before anything began.
   */
  #noteFound(found: FoundCall | undefined): void {
    const isNothing = found && !found.end && !found.fence
    const now = performance.now()
    const { engine, enginePatienceMs } = this.#services
    if (!isNothing || !engine.health.isAnswering) this.#nothingSince = undefined
    else if (now - (this.#nothingSince ??= now) > enginePatienceMs)
      throw unknownCallError(this.#call.id)
  }

  /** A call whose holder is gone, or does not know it, gets an end. */
  async #askHolder({ node, start }: Begun): Promise<CallAnswer | undefined> {
    const { engine, ends } = this.#services
    const { id, signal } = this.#call
    if (signal?.aborted) engine.publish(`w.${node}.ctl`, encodeMessage({ op: 'cancel', call: id }))
    const isKnown = await this.#follow(node, start)
    this.#unknown = isKnown === false ? this.#unknown + 1 : 0
    if (this.#unknown < 2 && !this.#isGone(node, start)) return undefined
    return await declareEnd(ends, id, `The worker "${node}" is gone`)
  }

  /** Asks the holder to tell what happens. Undefined if it did not answer now. */
  async #follow(node: string, start: string): Promise<boolean | undefined> {
    const { engine, identity } = this.#services
    const body = {
      op: 'follow',
      call: this.#call.id,
      front: identity.name,
      token: this.#token,
      after: this.#lastFact,
    }
    try {
      const response = await engine.request(`w.${node}.ctl`, encodeMessage(body), ASK_MS)
      const answer = decodeMessage(response) as AskAnswer | undefined
      if (!engine.health.isSteady || !answer) return undefined
      return answer.isKnown && answer.start === start
    } catch {
      return undefined
    }
  }

  /** True if the holder is given up. One that this front never heard may still be heard soon. */
  #isGone(node: string, start: string): boolean {
    const { workers, engine } = this.#services
    return engine.health.isSteady && workers.isThere(node, start) === false
  }
}
