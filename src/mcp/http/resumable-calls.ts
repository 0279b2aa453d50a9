/** One connection that carries a call's answer. */
export interface CallHolder {
  /** The client was told by which name it can go on. */
  named(stream: string): void
  /** The answer went out whole. */
  over(): void
  /** The connection broke before that. */
  lost(): void
}

/** What is to be done at the end of a call, once. */
interface CallEnd {
  over(): void
  giveUp(): void
}

/** Calls that outlive their connection for a while. */
export interface ResumableCalls {
  begin(end: CallEnd): CallHolder
  /** Another connection takes a call over; undefined where it is over. */
  resume(stream: string): CallHolder | undefined
  /** Nobody can come back any more. */
  clear(): void
}

interface Call {
  end: CallEnd
  stream?: string
  holder?: CallHolder
  isOver: boolean
  timer?: NodeJS.Timeout | undefined
}

/** Who goes away and is not back within `resumeMs` has given up the call; who cannot come back, at once. */
export function trackCalls(resumeMs: number): ResumableCalls {
  const calls = new Map<string, Call>()
  const settle = (call: Call, how: 'over' | 'giveUp') => {
    if (call.isOver) return
    call.isOver = true
    clearTimeout(call.timer)
    if (call.stream !== undefined && calls.get(call.stream) === call) calls.delete(call.stream)
    call.end[how]()
  }
  const hold = (call: Call): CallHolder => {
    clearTimeout(call.timer)
    const holder: CallHolder = {
      named(stream) {
        if (call.isOver) return
        call.stream = stream
        calls.set(stream, call)
      },
      over() {
        if (call.holder === holder) settle(call, 'over')
      },
      lost() {
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
    begin: (end) => hold({ end, isOver: false }),
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
