import { randomBytes } from 'node:crypto'
import { SkillsError } from '../../errors.ts'
import type { ForwardedSessionRequest } from '../../server/served-node.ts'
import { NoReceiverError, type Engine } from '../engine/engine.ts'
import { MAX_MESSAGE_BYTES } from '../messages/call-messages.ts'
import { decodeMessage, encodeMessage } from '../messages/encoding.ts'
import { PROTOCOL } from '../messages/node-state.ts'
import type { NodeIdentity } from '../node/identity.ts'
import type { Objects } from '../objects/objects.ts'
import {
  FORWARDED_HEADERS,
  isForwardReply,
  sendCaller,
  type ForwardReply,
  type OpenMessage,
} from './forwarded-messages.ts'
import { ForwardedResponse, silentFrontError } from './forwarded-response.ts'

/** Services with which a front forwards requests, and serves those of other fronts. */
export interface ForwardingServices {
  engine: Engine
  /** The front that forwards and serves. */
  identity: NodeIdentity
  objects: Objects
}

const ASK_MS = 3000

/** Sends requests of sessions to the fronts that have them, and receives the responses. */
export class ForwardingClient {
  #services: ForwardingServices
  #open = new Map<string, (reply: ForwardReply) => void>()
  #stop: () => void

  constructor(services: ForwardingServices) {
    this.#services = services
    const prefix = `x.${services.identity.name}.`
    this.#stop = services.engine.subscribe(`${prefix}*`, ({ subject, body }) => {
      const reply = decodeMessage(body)
      if (reply && isForwardReply(reply)) this.#open.get(subject.slice(prefix.length))?.(reply)
    })
  }

  /** The response of another front; undefined if it is not there. */
  async forward(home: string, request: ForwardedSessionRequest): Promise<Response | undefined> {
    const { engine, identity } = this.#services
    const front = identity.name
    const token = randomBytes(12).toString('hex')
    const subject = `f.${home}.http`
    const tell = (op: 'follow' | 'abort') =>
      engine.publish(subject, encodeMessage({ op, front, token }))
    const response = new ForwardedResponse({ engine, home, tell }, () => this.#open.delete(token))
    this.#open.set(token, (reply) => response.receive(reply))
    const { signal } = request.request
    const abort = () => response.abort()
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    try {
      const message = await this.#encode(request, { front, token })
      await engine.request(subject, encodeMessage(message), ASK_MS)
      return await response.head
    } catch (error) {
      response.abort()
      if (error instanceof NoReceiverError) return undefined
      if (error instanceof SkillsError) throw error
      throw silentFrontError(home, error)
    }
  }

  stop(): void {
    this.#stop()
  }

  async #encode(
    { request, body, caller }: ForwardedSessionRequest,
    address: Pick<OpenMessage, 'front' | 'token'>,
  ): Promise<OpenMessage> {
    const headers = FORWARDED_HEADERS.flatMap((name) => {
      const value = request.headers.get(name)
      return value === null ? [] : [[name, value] as const]
    })
    const text = body === undefined ? '' : JSON.stringify(body)
    const isLarge = Buffer.byteLength(text) > MAX_MESSAGE_BYTES
    return {
      op: 'open',
      v: PROTOCOL,
      ...address,
      method: request.method,
      headers: Object.fromEntries(headers),
      caller: sendCaller(caller),
      ...(isLarge ? { body_ref: await this.#services.objects.write(Buffer.from(text)) } : { body }),
    }
  }
}
