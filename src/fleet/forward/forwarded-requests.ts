import { setTimeout as sleep } from 'node:timers/promises'
import { toDetachedError } from '../../core/runs/detached/detached-error.ts'
import { toSkillsError, type SkillsError } from '../../errors.ts'
import type { ForwardedSessionRequest } from '../../server/served-node.ts'
import type { Engine, EngineMessage } from '../engine/engine.ts'
import { decodeMessage, encodeMessage, understands } from '../messages/encoding.ts'
import {
  ALIVE_MS,
  isForwardRequest,
  readCaller,
  SILENT_MS,
  type ForwardReply,
  type OpenMessage,
} from './forwarded-messages.ts'
import type { ForwardingServices } from './forwarding-client.ts'

type ServeRequest = (request: ForwardedSessionRequest) => Promise<Response>

/** Bytes of a message, before base64. */
const MAX_PART = 256 * 1024
const FINISH_CHECK_MS = 50
/** Base of the address, of which a session reads nothing. */
const BASE = 'http://localhost/mcp'

/** A request that this front serves for another one. */
interface ServedRequest {
  /** False for a stream of notifications. */
  isCall: boolean
  client: AbortController
  heardAt: number
  /** Held until its end: listeners of the signal of a request that is collected are never called. */
  request?: Request
}

/** Serves the requests of sessions that began here, which clients sent to other fronts. */
export class ForwardedRequests {
  #services: ForwardingServices
  #serve: ServeRequest
  #served = new Map<string, ServedRequest>()
  #stop: () => void

  constructor(services: ForwardingServices, serve: ServeRequest) {
    this.#services = services
    this.#serve = serve
    const { engine, identity } = services
    this.#stop = engine.subscribe(
      `f.${identity.name}.http`,
      (message) => void this.#receive(message),
    )
  }

  /** Resolves when no call is left, or after the time. */
  async finish(timeoutMs: number): Promise<void> {
    const until = performance.now() + timeoutMs
    const hasCalls = () => [...this.#served.values()].some(({ isCall }) => isCall)
    while (hasCalls() && performance.now() < until) await sleep(FINISH_CHECK_MS)
  }

  stop(): void {
    this.#stop()
    for (const { client } of this.#served.values()) client.abort()
  }

  async #receive(received: EngineMessage): Promise<void> {
    const message = decodeMessage(received.body)
    if (!message || !isForwardRequest(message)) return
    const key = `${message.front}.${message.token}`
    const known = this.#served.get(key)
    if (known) known.heardAt = performance.now()
    if (message.op === 'abort') known?.client.abort()
    // A request that arrives twice is served once.
    if (message.op !== 'open' || known || !understands(message.v)) return
    received.respond(encodeMessage({}))
    const isCall = message.method === 'POST'
    const served: ServedRequest = {
      isCall,
      client: new AbortController(),
      heardAt: performance.now(),
    }
    this.#served.set(key, served)
    const sender = new ReplySender(this.#services.engine, `x.${key}`)
    const stopChecking = this.#checkClient(served, sender)
    const { signal } = served.client
    try {
      await sender.sendResponse(await this.#respond(message, served), signal)
    } catch (error) {
      sender.refuse(toSkillsError(error))
    } finally {
      stopChecking()
      this.#served.delete(key)
    }
  }

  async #respond(message: OpenMessage, served: ServedRequest): Promise<Response> {
    const { method, headers, body_ref: ref } = message
    const body = ref
      ? (JSON.parse((await this.#services.objects.readAll(ref)).toString()) as unknown)
      : message.body
    const content = method === 'POST' ? JSON.stringify(body) : null
    const { signal } = served.client
    const request = new Request(BASE, { method, headers, body: content, signal })
    served.request = request
    return await this.#serve({ request, body, caller: readCaller(message.caller) })
  }

  /** A client whose front is silent has gone. */
  #checkClient(served: ServedRequest, sender: ReplySender): () => void {
    const { health } = this.#services.engine
    const timer = setInterval(() => {
      sender.sayAlive()
      const silentMs = performance.now() - Math.max(served.heardAt, health.backAt)
      if (health.isSteady && silentMs > SILENT_MS) served.client.abort()
    }, ALIVE_MS)
    return () => clearInterval(timer)
  }
}

/** Sends a response in messages. */
class ReplySender {
  #engine: Engine
  #subject: string
  #next = 0

  constructor(engine: Engine, subject: string) {
    this.#engine = engine
    this.#subject = subject
  }

  sayAlive(): void {
    this.#publish({ n: -1, t: 'alive' })
  }

  /** Ends early if the client has gone. */
  async sendResponse({ status, headers, body }: Response, signal: AbortSignal): Promise<void> {
    this.#publish({ n: this.#next++, t: 'head', status, headers: Object.fromEntries(headers) })
    const reader = body?.getReader()
    const cancel = () => void reader?.cancel().catch(() => {})
    if (signal.aborted) cancel()
    signal.addEventListener('abort', cancel, { once: true })
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
      this.#sendBytes(Buffer.from(part.value))
    }
    this.#publish({ n: this.#next++, t: 'end' })
  }

  refuse(error: SkillsError): void {
    const sent = toDetachedError(error, { text: (text) => text })
    this.#publish({ n: this.#next++, t: 'error', error: sent })
  }

  #sendBytes(bytes: Buffer): void {
    for (let from = 0; from < bytes.length; from += MAX_PART) {
      const data = bytes.subarray(from, from + MAX_PART).toString('base64')
      this.#publish({ n: this.#next++, t: 'part', data })
    }
  }

  #publish(reply: ForwardReply): void {
    this.#engine.publish(this.#subject, encodeMessage(reply))
  }
}
