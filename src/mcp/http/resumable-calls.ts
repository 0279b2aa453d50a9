/** A connection that carries the response of a call. */
export interface CallConnection {
  /** Sets the stream id by which the client can resume. */
  setStream(stream: string): void
  /** Called when the response was sent completely. */
  complete(): void
  /** Called when the connection broke before the end of the response. */
  disconnect(): void
}

/** Callbacks for the end of a call; exactly one of them is called, once. */
interface CallEndHandlers {
  over(): void
  giveUp(): void
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
  holder?: CallConnection
  isOver: boolean
  timer?: NodeJS.Timeout | undefined
}

/**
 * Abandons a call if its client does not reconnect within `resumeMs`, or at once if the client has
 * no stream id to resume by.
 */
export function createResumableCalls(resumeMs: number): ResumableCalls {
  const calls = new Map<string, ResumableCall>()
  const settle = (call: ResumableCall, how: 'over' | 'giveUp') => {
    if (call.isOver) return
    call.isOver = true
    clearTimeout(call.timer)
    if (call.stream !== undefined && calls.get(call.stream) === call) calls.delete(call.stream)
    call.end[how]()
  }
  const hold = (call: ResumableCall): CallConnection => {
    clearTimeout(call.timer)
    const holder: CallConnection = {
      setStream(stream) {
        if (call.isOver) return
        call.stream = stream
        calls.set(stream, call)
      },
      complete() {
        if (call.holder === holder) settle(call, 'over')
      },
      disconnect() {
        if (call.holder !== holder || call.isOver) return
        if (call.stream === undefined) return settle(call, 'giveUp')
        clearTimeout(call.timer)
        call.timer = setTimeout(settle, resumeMs, call, 'giveUp').unref()
      },
    }
    call.holder = holder
    return holder
  }
  return {
    start: (end) => hold({ end, isOver: false }),
    resume(stream) {
      const call = calls.get(stream)
      return call && hold(call)
    },
    clear() {
      for (const { timer } of calls.values()) clearTimeout(timer)
      calls.clear()
    },
  }
}
