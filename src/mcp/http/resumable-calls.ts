/** A connection that carries the response of a call. */
export interface CallConnection {
  /** Sets the stream id by which the client can resume. */
  setStream(stream: string): void
  /** Called when the response was sent completely. */
  complete(): void
  /** Called when the connection broke before the end of the response. */
  disconnect(): void
}

/** Callbacks for the end of a call; at most one of them is called, once. */
interface CallEndHandlers {
  onComplete(): void
  onAbandon(): void
}

/** Calls that continue for a while after their connection breaks. */
export interface ResumableCalls {
  start(end: CallEndHandlers): CallConnection
  /** Attaches another connection to a call; undefined if the call has ended. */
  resume(stream: string): CallConnection | undefined
  /** Forgets all calls; none can be resumed afterwards. */
  clear(): void
}

interface ResumableCall {
  end: CallEndHandlers
  stream?: string
  connection?: CallConnection
  isOver: boolean
  timer?: NodeJS.Timeout | undefined
}

/**
 * Abandons a call if its client does not reconnect within `resumeMs`, or at once if the client has
 * no stream id to resume by.
 */
export function createResumableCalls(resumeMs: number): ResumableCalls {
  const calls = new Map<string, ResumableCall>()
  const settle = (call: ResumableCall, callback: keyof CallEndHandlers) => {
    if (call.isOver) return
    call.isOver = true
    clearTimeout(call.timer)
    if (call.stream !== undefined && calls.get(call.stream) === call) calls.delete(call.stream)
    call.end[callback]()
  }
  const attach = (call: ResumableCall): CallConnection => {
    clearTimeout(call.timer)
    const connection: CallConnection = {
      setStream(stream) {
        if (call.isOver) return
        call.stream = stream
        calls.set(stream, call)
      },
      complete() {
        if (call.connection === connection) settle(call, 'onComplete')
      },
      disconnect() {
        if (call.connection !== connection || call.isOver) return
        if (call.stream === undefined) return settle(call, 'onAbandon')
        clearTimeout(call.timer)
        call.timer = setTimeout(settle, resumeMs, call, 'onAbandon').unref()
      },
    }
    call.connection = connection
    return connection
  }
  return {
    start: (end) => attach({ end, isOver: false }),
    resume(stream) {
      const call = calls.get(stream)
      return call && attach(call)
    },
    clear() {
      for (const { timer } of calls.values()) clearTimeout(timer)
      calls.clear()
    },
  }
}
