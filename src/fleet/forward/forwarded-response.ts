import { fromDetachedError } from '../../core/runs/detached/detached-error.ts'
import { SkillsError } from '../../errors.ts'
import type { Engine } from '../engine/engine.ts'
import { ALIVE_MS, SILENT_MS, type ForwardReply } from './forwarded-messages.ts'

/** Bytes that wait for a client that reads slowly. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024
const STATUS_WITHOUT_BODY = new Set([202, 204, 304])

interface HomeOfSession {
  engine: Engine
  /** The front that responds. */
  home: string
  tell(op: 'follow' | 'abort'): void
}

/** A response that another front sends in messages. */
export class ForwardedResponse {
  /** The response, when its status is known. Its body follows. */
  readonly head: Promise<Response>
  #home: HomeOfSession
  #onEnd: () => void
  #next = 0
  #heardAt = performance.now()
  #resolve: (response: Response) => void = () => {}
  #reject: (error: Error) => void = () => {}
  #body: ReadableStreamDefaultController<Uint8Array> | undefined
  #timer: NodeJS.Timeout
  #isEnded = false

  constructor(home: HomeOfSession, onEnd: () => void) {
    this.#home = home
    this.#onEnd = onEnd
    this.head = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // The caller may have given up before the head is awaited.
    this.head.catch(() => {})
    this.#timer = setInterval(() => this.#check(), ALIVE_MS)
  }

  /** Receives the next message. A lost one breaks the response off: its client resumes or repeats. */
  receive(reply: ForwardReply): void {
    this.#heardAt = performance.now()
    if (this.#isEnded || reply.t === 'alive') return
    if (reply.n !== this.#next) return this.#fail()
    this.#next += 1
    if (reply.t === 'head') this.#begin(reply)
    else if (reply.t === 'part') this.#write(reply.data)
    else if (reply.t === 'error') {
      this.#end()
      const error = fromDetachedError(reply.error)
      this.#reject(error)
      this.#body?.error(error)
    } else {
      this.#end()
      this.#body?.close()
    }
  }

  /** The client has gone. */
  abort(): void {
    if (this.#isEnded) return
    this.#giveUp()
    this.#body?.close()
  }

  /** A head that is no valid one breaks the response off: another node may have sent it. */
  #begin(head: Extract<ForwardReply, { t: 'head' }>): void {
    try {
      this.#resolve(this.#createResponse(head))
    } catch {
      this.#fail()
    }
  }

  #createResponse({ status, ...head }: Extract<ForwardReply, { t: 'head' }>): Response {
    // The Response of the HTTP server checks neither before it is read.
    const headers = new Headers(head.headers)
    if (!(status >= 200 && status <= 599)) throw new RangeError(`status ${status}`)
    if (STATUS_WITHOUT_BODY.has(status)) return new Response(null, { status, headers })
    const body = new ReadableStream<Uint8Array>(
      { start: (controller) => void (this.#body = controller), cancel: () => this.#giveUp() },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING_BYTES }),
    )
    return new Response(body, { status, headers })
  }

  #write(data: string): void {
    this.#body?.enqueue(Buffer.from(data, 'base64'))
    if ((this.#body?.desiredSize ?? 0) < 0) this.#fail()
  }

  /** While the engine is away, every front is silent. */
  #check(): void {
    const { health } = this.#home.engine
    this.#home.tell('follow')
    const silentMs = performance.now() - Math.max(this.#heardAt, health.backAt)
    if (health.isSteady && silentMs > SILENT_MS) this.#fail()
  }

  #fail(): void {
    this.#giveUp()
    this.#body?.error(silentFrontError(this.#home.home))
  }

  #giveUp(): void {
    if (this.#isEnded) return
    this.#end()
    this.#home.tell('abort')
    this.#reject(silentFrontError(this.#home.home))
  }

  #end(): void {
    this.#isEnded = true
    clearInterval(this.#timer)
    this.#onEnd()
  }
}

/** The session may have the request, and may have performed it. */
export function silentFrontError(home: string, cause?: unknown): SkillsError {
  return new SkillsError('run/unknown', `The front "${home}" with this session does not answer`, {
    hint: 'Repeat the request, or start a new session with initialize',
    cause,
  })
}
