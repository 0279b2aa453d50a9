import type { RunEvent, RunGrants } from '../../core/runs/run-call.ts'
import type { DetachedFacts } from '../messages/call-ends.ts'
import { isFact, type CallReply } from '../messages/call-messages.ts'

/** Characters of facts that can be repeated to a front that follows later. */
const MAX_REPLAY_CHARS = 512 * 1024

type Say = (reply: CallReply) => void

/** A front that waits for a call, and where it receives replies. */
export interface Follower {
  front: string
  token: string
  say: Say
}

/** A call that this worker received, and the fronts that follow it. */
export class AcceptedCall {
  readonly attempt: number
  /** Digest of the method, the parameters and the caller. */
  readonly digest: string
  /** True if no front needs to wait for the call. */
  readonly isDetached: boolean
  /** Secrets of the front, of a detached call. */
  readonly secrets: RunGrants['secrets']
  /** Facts for the end of a detached call. */
  readonly facts: DetachedFacts = {
    usage: { cpu_ms: 0, blob_bytes: 0 },
    recorded_run_id: null,
  }
  readonly cancelling = new AbortController()
  /** True once this worker has the fence, so that followers learn the end here. */
  isAccepted = false
  /** When the last of its fronts was heard. */
  heardAt = performance.now()
  /** By front and token: a front that asks again replaces its earlier request. */
  #followers = new Map<string, Follower>()
  #facts: { n: number; fact: RunEvent; size: number }[] = []
  #size = 0
  #count = 0
  #end: CallReply | undefined

  constructor(attempt: number, digest: string, detached?: Pick<RunGrants, 'secrets'>) {
    this.attempt = attempt
    this.digest = digest
    this.isDetached = detached !== undefined
    this.secrets = detached?.secrets
  }

  get isEnded(): boolean {
    return this.#end !== undefined
  }

  /** The fronts that wait for the call. */
  get fronts(): string[] {
    return [...this.#followers.values()].map(({ front }) => front)
  }

  /** Sends a front the facts after number `after` once, and all later ones. */
  follow(follower: Follower, after = 0): void {
    const { front, token, say } = follower
    const key = `${front}.${token}`
    this.heardAt = performance.now()
    for (const { n, fact } of this.#facts) if (n > after) say({ t: 'fact', n, fact })
    if (this.#end) say(this.#end)
    else this.#followers.set(key, follower)
  }

  unfollow({ front, token }: Pick<Follower, 'front' | 'token'>): void {
    this.#followers.delete(`${front}.${token}`)
  }

  tell(fact: RunEvent): void {
    if (!isFact(fact)) return
    this.#noteFact(fact)
    const size = measureFact(fact)
    const n = ++this.#count
    this.#facts.push({ n, fact, size })
    this.#size += size
    while (this.#size > MAX_REPLAY_CHARS && this.#facts.length > 1)
      this.#size -= this.#facts.shift()?.size ?? 0
    this.say({ t: 'fact', n, fact })
  }

  #noteFact(fact: RunEvent): void {
    const { usage } = this.facts
    if (fact.type === 'recorded') this.facts.recorded_run_id = fact.run_id
    if (!usage) return
    if (fact.type === 'cpu') usage.cpu_ms += fact.ms
    if (fact.type === 'blob') usage.blob_bytes += fact.blob.size
  }

  say(reply: CallReply): void {
    for (const { say } of this.#followers.values()) say(reply)
  }

  end(reply: CallReply): void {
    this.#end = reply
    this.say(reply)
    this.#followers.clear()
  }
}

/** Only logs and progress can be large; 100 covers the rest. */
function measureFact(fact: RunEvent): number {
  const { text, message } = fact as { text?: string; message?: string }
  return 100 + (text ?? message ?? '').length
}
