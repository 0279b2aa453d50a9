import { SkillsError } from '../../errors.ts'
import type { EngineMessage } from '../engine/engine.ts'
import {
  type AskAnswer,
  type CallReply,
  type Fence,
  type NodeRequest,
  type StartMessage,
} from '../messages/call-messages.ts'
import { decodeMessage, encodeMessage, understands } from '../messages/encoding.ts'
import { takeFence } from '../messages/fence.ts'
import { PROTOCOL, type WorkerState } from '../messages/node-state.ts'
import {
  isControlMessage,
  isStartMessage,
  readReplyAddress,
  type ReplyAddress,
} from '../messages/parse-start.ts'
import { Heartbeat } from '../node/heartbeat.ts'
import { announceAnswer } from './announce-answer.ts'
import { AcceptedCall, type Follower } from './accepted-call.ts'
import { OccupiedPlaces } from './occupied-places.ts'
import { storeEnd } from './store-end.ts'
import { watchOrphans } from './watch-orphans.ts'
import type { WorkerOptions } from './worker-options.ts'

/** The fence of an attempt: of this worker, of another node, or not known because the engine is away. */
type TakenFence = { t: 'mine' } | { t: 'taken'; holder: Fence | undefined } | { t: 'unsure' }

/** The end of a job, or the reason why this worker did not perform it. */
export type AttemptResult = { t: 'ended' } | { t: 'known' } | Exclude<TakenFence, { t: 'mine' }>

const FREE: TakenFence = { t: 'mine' }

interface AcceptedStart {
  isRun: boolean
  /** Releases the place of the call. */
  leave: () => void
  /** The front that sent the call; undefined for a call of the queue. */
  follower?: Follower
}

type CallControl = Extract<NodeRequest, { call: string }>

const MOVED: CallReply = { t: 'busy', why: 'moved', free: 0 }
/** Time in which the end of a call can still be followed here. */
const ENDED_RETENTION_MS = 60_000
const MAX_ENDED = 1000
/** Time in which cancelled calls end. */
const END_MS = 5000
/** Fronts whose numbers are in the heartbeats. */
const MAX_SEEN = 256

/** Performs the calls that fronts send to this node. */
export class Worker {
  #options: WorkerOptions
  #calls = new Map<string, AcceptedCall>()
  #ended: string[] = []
  #seen = new Map<string, number>()
  #places = new OccupiedPlaces()
  #isDraining = false
  #heartbeat: Heartbeat
  #ends: (() => void)[]

  constructor(options: WorkerOptions) {
    this.#options = options
    const { engine, identity } = options
    this.#ends = [
      engine.subscribe(`w.${identity.name}.start`, (message) => this.#onStart(message)),
      engine.subscribe(`w.${identity.name}.ctl`, (message) => void this.#onControl(message)),
      engine.subscribe(`w.${identity.name}.ask`, (message) => this.#onAsk(message)),
      this.#places.onChange(() => this.#heartbeat.change()),
      watchOrphans(engine, this.#calls),
    ]
    this.#heartbeat = new Heartbeat(engine, `hb.w.${identity.name}`, (beat) => this.#describe(beat))
  }

  get running(): number {
    return this.#places.count
  }

  /** Places for calls of the queue. The last place is never reserved. */
  get freeForJobs(): number {
    const { places, reserve } = this.#options
    if (this.#isDraining) return 0
    return Math.max(0, Math.max(1, places - reserve) - this.#places.count)
  }

  /** Called when the number of free places changes. */
  onPlacesChanged(handle: () => void): () => void {
    return this.#places.onChange(handle)
  }

  /** True if the run belongs to a call that this worker performs. */
  hasCall(id: string): boolean {
    const call = this.#calls.get(id)
    return call !== undefined && !call.isEnded
  }

  /** Ends a call that this worker performs. */
  cancel(id: string): void {
    this.#calls.get(id)?.cancelling.abort()
  }

  /** Accepts no more calls. */
  drain(): void {
    this.#isDraining = true
    this.#places.notify()
  }

  /** Resolves when no call is left, or after the time; the rest is cancelled. */
  async finish(graceMs: number): Promise<void> {
    this.drain()
    if (!(await this.#places.waitUntilIdle(graceMs))) {
      for (const call of this.#calls.values()) call.cancelling.abort()
      await this.#places.waitUntilIdle(END_MS)
    }
  }

  stop(): void {
    this.#heartbeat.stop()
    for (const end of this.#ends) end()
  }

  #describe(beat: number): WorkerState {
    const { identity, places, line, pool, labels, build, catalog, isolation, sealKey } =
      this.#options
    const running = Math.min(this.#places.count, places)
    return {
      v: PROTOCOL,
      role: 'worker',
      node: identity.name,
      start: identity.start,
      beat,
      build,
      pool,
      labels,
      places,
      line,
      running,
      waiting: this.#places.count - running,
      isDraining: this.#isDraining,
      seen: Object.fromEntries(this.#seen),
      catalog: catalog.revision,
      ...(isolation !== undefined && { isolation }),
      ...(sealKey !== undefined && { sealKey }),
    }
  }

  /** Places for a call. While this worker drains, only its sessions get one. */
  #countFree({ home }: Pick<StartMessage, 'home'>): number {
    const { places, line } = this.#options
    return this.#isDraining && !home ? 0 : places + line - this.#places.count
  }

  #onStart({ body }: EngineMessage): void {
    const message = decodeMessage(body)
    const address = readReplyAddress(message)
    if (!message || !address) return
    const follower = this.#createFollower(address)
    const isUnderstood = understands((message as Partial<StartMessage>).v)
    if (!isUnderstood) follower.say({ t: 'busy', why: 'version', free: 0 })
    else if (isStartMessage(message)) this.#receive(message, follower)
  }

  #receive(message: StartMessage, follower: Follower): void {
    const { count } = message
    const { say } = follower
    if (count > 0) this.#noteSeen(message)
    const known = this.#calls.get(message.call)
    // A later attempt is known only after this one was revoked.
    if (known && known.attempt > message.attempt) return say({ t: 'taken' })
    if (known && known.attempt === message.attempt) {
      if (known.digest !== message.digest) return say({ t: 'taken' })
      if (known.isAccepted) say(this.#accept())
      return known.follow(follower)
    }
    if (count > 0 && this.#countFree(message) <= 0) {
      const why = this.#isDraining && !message.home ? 'draining' : 'full'
      return say({ t: 'busy', why, free: 0 })
    }
    void this.#perform(message, follower)
  }

  #createFollower({ front, token }: ReplyAddress): Follower {
    const { engine } = this.#options
    const say = (reply: CallReply) => engine.publish(`a.${front}.${token}`, encodeMessage(reply))
    return { front, token, say }
  }

  /** Notes the number of a start. The fronts that were not heard for longest are forgotten. */
  #noteSeen({ front, count }: StartMessage): void {
    const seen = Math.max(this.#seen.get(front) ?? 0, count)
    this.#seen.delete(front)
    this.#seen.set(front, seen)
    const [oldest] = this.#seen.keys()
    if (this.#seen.size > MAX_SEEN && oldest !== undefined) this.#seen.delete(oldest)
  }

  #accept(): CallReply {
    const { name: node, start } = this.#options.identity
    return { t: 'accepted', node, start }
  }

  async #perform(message: StartMessage, follower: Follower): Promise<void> {
    const { call: id, attempt, count } = message
    const isRun = count > 0
    const accepted = new AcceptedCall(attempt, message.digest)
    accepted.follow(follower)
    this.#calls.set(id, accepted)
    const leave = isRun ? this.#places.occupy() : () => {}
    let leaveHome: (() => void) | undefined
    try {
      leaveHome = await this.#enterHome(message)
      // A call that needs no place starts no run: it can be repeated, and has no end to keep.
      const fence = isRun && leaveHome ? await this.#takeFence(message) : FREE
      if (!leaveHome || fence.t !== 'mine') {
        this.#forget(id, accepted)
        // Fronts that asked meanwhile learn it too.
        return accepted.end(fence.t === 'mine' ? MOVED : { t: fence.t })
      }
      await this.#performAccepted(message, accepted, { isRun, leave, follower })
    } finally {
      leave()
      leaveHome?.()
      this.#retain(id, accepted)
    }
  }

  /** Occupies a place for a call of the queue. Returns a function that releases it. */
  occupyPlace(): () => void {
    return this.#places.occupy()
  }

  /**
   * Performs a call of the queue, if this worker gets its fence. Resolves when its end is stored. The caller
   * has occupied a place.
   */
  async performJob(
    message: StartMessage,
    secrets?: AcceptedCall['secrets'],
  ): Promise<AttemptResult> {
    const { call: id, attempt, digest } = message
    if (this.#calls.has(id)) return { t: 'known' }
    const accepted = new AcceptedCall(attempt, digest, { secrets })
    this.#calls.set(id, accepted)
    try {
      const fence = await this.#takeFence(message)
      if (fence.t !== 'mine') {
        this.#forget(id, accepted)
        accepted.end({ t: fence.t })
        return fence
      }
      await this.#performAccepted(message, accepted, { isRun: true, leave: () => {} })
      return { t: 'ended' }
    } finally {
      this.#retain(id, accepted)
    }
  }

  async #performAccepted(
    message: StartMessage,
    accepted: AcceptedCall,
    { isRun, leave, follower }: AcceptedStart,
  ): Promise<void> {
    const { call: id } = message
    const { engine, identity, ends, catalog } = this.#options
    accepted.isAccepted = true
    const isBehind = catalog.revision < message.catalog
    if (isBehind) {
      accepted.say(this.#accept())
      await catalog.waitFor(message.catalog)
    }
    const performed = this.#options.perform(message, accepted)
    // The run does not wait until this message is sent.
    if (!isBehind) accepted.say(this.#accept())
    const answer = await performed
    const detached = accepted.isDetached ? accepted.facts : undefined
    const by = { engine, worker: identity.name }
    const ackAt = isRun && follower ? announceAnswer(by, follower, answer) : undefined
    const decisive = isRun ? await storeEnd(ends, id, { answer, detached, ackAt }) : answer
    leave()
    if (decisive) accepted.end({ t: 'end', answer: decisive })
    // Fronts that ask then give the call up.
    else this.#forget(id, accepted)
  }

  /** Returns a function that ends the call; undefined if another worker has its session. */
  async #enterHome({ home }: StartMessage): Promise<(() => void) | undefined> {
    const { enterHome } = this.#options
    return home && enterHome ? await enterHome(home) : () => {}
  }

  /** The fence of the attempt, before anything begins. */
  async #takeFence({ call, attempt, digest, sent }: StartMessage): Promise<TakenFence> {
    const { engine, identity } = this.#options
    const at = new Date().toISOString()
    const { name: caller, principal } = sent.caller
    try {
      const result = await takeFence(
        engine,
        { call, attempt },
        { t: 'begun', node: identity.name, start: identity.start, at, digest, caller, principal },
      )
      return result.isMine ? FREE : { t: 'taken', holder: result.holder }
    } catch (error) {
      if (error instanceof SkillsError) return { t: 'unsure' }
      throw error
    }
  }

  /** Keeps an ended call for a while, for fronts that lost its end. */
  #retain(id: string, call: AcceptedCall): void {
    if (this.#calls.get(id) !== call) return
    setTimeout(() => this.#forget(id, call), ENDED_RETENTION_MS).unref()
    this.#ended.push(id)
    const oldest = this.#ended.length > MAX_ENDED ? this.#ended.shift() : undefined
    if (oldest !== undefined && this.#calls.get(oldest)?.isEnded) this.#calls.delete(oldest)
  }

  /** Removes a call, but not a later attempt with its id. */
  #forget(id: string, call: AcceptedCall): void {
    if (this.#calls.get(id) === call) this.#calls.delete(id)
  }

  async #onControl(request: EngineMessage): Promise<void> {
    const message = decodeMessage(request.body)
    if (!message || !isControlMessage(message)) return
    const { start } = this.#options.identity
    if (message.op === 'drain') {
      this.drain()
      this.#options.onDrained?.()
      return request.respond(encodeMessage({ start, running: this.#places.count }))
    }
    if (message.op === 'logs') {
      const logs = await this.#options.readActiveLogs(message.run, message.offset)
      return request.respond(logs ?? '')
    }
    const isKnown = this.#applyControl(message)
    request.respond(encodeMessage({ start, isKnown } satisfies AskAnswer))
  }

  /** Answers another worker, which may ask for calls and nothing else. */
  #onAsk(request: EngineMessage): void {
    const message = decodeMessage(request.body)
    if (!message || !isControlMessage(message) || message.op !== 'ask') return
    const { start } = this.#options.identity
    const isKnown = this.#applyControl(message)
    request.respond(encodeMessage({ start, isKnown } satisfies AskAnswer))
  }

  /** True if this worker has the call of a request. */
  #applyControl(message: CallControl): boolean {
    const call = this.#calls.get(message.call)
    if (!call) return false
    if (message.op === 'cancel') call.cancelling.abort()
    if (message.op === 'follow') call.follow(this.#createFollower(message), message.after)
    if (message.op === 'unfollow') call.unfollow(message)
    if (message.op !== 'ask' || message.attempt === undefined) return true
    return message.attempt === call.attempt
  }
}
