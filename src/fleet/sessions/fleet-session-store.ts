import { KeyedQueue } from '../../core/skill-context/keyed-queue.ts'
import { createSessionState, type SessionState } from '../../core/skill-context/session-state.ts'
import {
  MAX_SESSIONS,
  SESSION_TTL_MS,
  type SessionLimits,
  type SessionListing,
  type SessionStore,
  type StateChange,
} from '../../core/skill-context/session-store.ts'
import { decodeToken, encodeToken } from '../catalog/subject-token.ts'
import type { Engine, StoredMessage } from '../engine/engine.ts'
import { gunzipSync, gzipSync } from 'node:zlib'
import { parseSessionState } from '../../core/skill-context/read-session-state.ts'
import { SkillsError } from '../../errors.ts'
import { formatBytes } from '../../util/quantity.ts'
import { sealJson } from '../../util/sealed-json.ts'

const PREFIX = 'k.sessions.'
/** Time after which a store counts the sessions again, of which other nodes add some. */
const SWEEP_INTERVAL_MS = 3_600_000

/**
 * Sessions in the engine, one message each. A change replaces the state that it was computed from; if
 * another node has replaced it meanwhile, the change is applied again to the newer state.
 */
export function openFleetSessionStore(engine: Engine, limits: SessionLimits = {}): SessionStore {
  return new FleetSessionStore(engine, limits)
}

class FleetSessionStore implements SessionStore {
  #engine: Engine
  #ttlMs: number
  #maxSessions: number
  /** Spares refusals by the engine: changes of one session by this process wait for each other. */
  #queue = new KeyedQueue()
  #sweeping: Promise<SessionIndex> | undefined
  #sweptAt = -Infinity

  constructor(
    engine: Engine,
    { ttlMs = SESSION_TTL_MS, maxSessions = MAX_SESSIONS }: SessionLimits,
  ) {
    this.#engine = engine
    this.#ttlMs = ttlMs
    this.#maxSessions = maxSessions
  }

  async read(key: string): Promise<SessionState> {
    const stored = await this.#last(key)
    return stored ? decodeSession(stored.body) : createSessionState()
  }

  async update<T>(key: string, change: StateChange<T>): Promise<T> {
    return await this.#queue.run(key, async () => await this.#applyChange(key, change))
  }

  async remove(key: string): Promise<void> {
    await this.#engine.remove('state', PREFIX + encodeToken(key))
  }

  async list(): Promise<SessionListing[]> {
    const listed: SessionListing[] = []
    for await (const { key, storedAt } of this.#listStored()) {
      listed.push({ key, changedAt: storedAt })
    }
    // Stored in the order of their changes, so that those of one millisecond are in order, too.
    return listed.toReversed()
  }

  async sweep(): Promise<void> {
    await this.#sweepAll()
  }

  async #applyChange<T>(key: string, change: StateChange<T>): Promise<T> {
    for (;;) {
      const stored = await this.#last(key)
      const before = stored ? decodeSession(stored.body) : undefined
      const { state, value } = await change(before ?? createSessionState())
      if (state === before) return value
      const subject = PREFIX + encodeToken(key)
      const seq = await this.#engine.replace('state', subject, {
        body: encodeSession(state),
        seq: stored?.seq ?? 0,
      })
      if (seq === undefined) continue
      // The change is stored, also if the engine does not answer now.
      await this.#makeRoom(key, { seq, isNew: stored === undefined }).catch(() => {})
      return value
    }
  }

  /** Removes the oldest sessions beyond the maximum after one was added. */
  async #makeRoom(key: string, { seq, isNew }: { seq: number; isNew: boolean }): Promise<void> {
    const now = Date.now()
    if (isNew && now - this.#sweptAt > SWEEP_INTERVAL_MS) await this.#sweepAll()
    // Sessions are counted with the first one that this process adds.
    const index = await this.#sweeping
    index?.add(key, { seq, changedAt: now })
    if (isNew && index) await this.#removeBeyond(index)
  }

  async #sweepAll(): Promise<void> {
    this.#sweptAt = Date.now()
    this.#sweeping = this.#buildIndex()
    try {
      await this.#removeBeyond(await this.#sweeping)
    } catch (error) {
      this.#sweeping = undefined
      this.#sweptAt = -Infinity
      throw error
    }
  }

  async #buildIndex(): Promise<SessionIndex> {
    const index = new SessionIndex([])
    for await (const { key, seq, storedAt } of this.#listStored()) {
      index.add(key, { seq, changedAt: storedAt })
    }
    return index
  }

  async #removeBeyond(index: SessionIndex): Promise<void> {
    for (;;) {
      const [key, known] = index.oldest ?? []
      if (key === undefined || known === undefined) return
      const isExpired = known.changedAt < Date.now() - this.#ttlMs
      if (index.size <= this.#maxSessions && !isExpired) return
      const stored = await this.#last(key)
      if (stored && stored.seq !== known.seq) {
        // Another node has changed it since.
        index.add(key, { seq: stored.seq, changedAt: stored.storedAt })
        continue
      }
      if (stored) await this.remove(key)
      index.remove(key)
    }
  }

  async *#listStored(): AsyncIterable<StoredMessage & { key: string }> {
    for await (const message of this.#engine.list('state', `${PREFIX}*`)) {
      const key = decodeToken(message.subject.slice(PREFIX.length))
      if (key !== undefined) yield { ...message, key }
    }
  }

  async #last(key: string): Promise<StoredMessage | undefined> {
    return await this.#engine.last('state', PREFIX + encodeToken(key))
  }
}

/** Larger states are compressed. */
const PLAIN_BYTES = 64 * 1024
/** The engine accepts messages of 1 MB, and sends them in base64. */
const MAX_BODY_BYTES = 512 * 1024
/** A state with more bytes was not written by this program. */
const MAX_TEXT_BYTES = 64 * 1024 ** 2

/** Encodes a state as the body of one message. Throws `store/full` if it is too large. */
function encodeSession(state: SessionState): Uint8Array {
  const text = Buffer.from(sealJson(state))
  const body = text.length > PLAIN_BYTES ? gzipSync(text) : text
  if (body.length <= MAX_BODY_BYTES && text.length <= MAX_TEXT_BYTES) return body
  throw new SkillsError(
    'store/full',
    `The loaded skills of the session have ${formatBytes(body.length)}, expected at most ${formatBytes(MAX_BODY_BYTES)}`,
    { hint: 'Unload skills, or start another session' },
  )
}

/** Decodes a stored state. Throws if it was damaged; it is never treated as empty. */
function decodeSession(body: Uint8Array): SessionState {
  const isCompressed = body[0] === 0x1f && body[1] === 0x8b
  return parseSessionState(Buffer.from(isCompressed ? decompress(body) : body).toString())
}

/** Empty if it is damaged, which no state is. */
function decompress(body: Uint8Array): Uint8Array {
  try {
    return gunzipSync(body, { maxOutputLength: MAX_TEXT_BYTES })
  } catch {
    return new Uint8Array()
  }
}

/** Last change of a session. */
interface SessionChange {
  /** Position of the state in its stream. */
  seq: number
  /** Milliseconds since 1970. */
  changedAt: number
}

/**
 * Keys of sessions by their last change, oldest first. It lets a store remove the oldest session
 * without reading all of them again.
 */
class SessionIndex {
  #changes: Map<string, SessionChange>

  /** Changes in their order. */
  constructor(changes: Iterable<readonly [string, SessionChange]>) {
    this.#changes = new Map(changes)
  }

  get size(): number {
    return this.#changes.size
  }

  get oldest(): readonly [string, SessionChange] | undefined {
    const [first] = this.#changes
    return first
  }

  /** Adds a change, which is the newest one. */
  add(key: string, change: SessionChange): void {
    this.#changes.delete(key)
    this.#changes.set(key, change)
  }

  remove(key: string): void {
    this.#changes.delete(key)
  }
}
