/** One connection that carries a call's answer. */
export interface CallConnection {
  /** The client was told by which name it can go on. */
  setStream(stream: string): void
  /** The answer went out whole. */
  complete(): void
  /** The connection broke before that. */
  disconnect(): void
}

/** What is to be done at the end of a call, once. */
interface CallEndHandlers {
  over(): void
  giveUp(): void
}

/** Calls that outlive their connection for a while. */
export interface ResumableCalls {
  start(end: CallEndHandlers): CallConnection
  /** Another connection takes a call over; undefined where it is over. */
  resume(stream: string): CallConnection | undefined
  /** Nobody can come back any more. */
  clear(): void
}

interface ResumableCall {
  end: CallEndHandlers
  stream?: string
  holder?: CallConnection
  isOver: boolean
  timer?: NodeJS.Timeout | undefined
}

/** Who goes away and is not back within `resumeMs` has given up the call; who cannot come back, at once. */
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
