import { toPrintable } from '../../util/printable.ts'

export type RequestLogLevel = 'debug' | 'info' | 'warn' | 'error'
type LogFacts = Readonly<Record<string, string | number | boolean | undefined>>

/** Structured log of requests and events. */
export interface RequestLog {
  write(level: RequestLogLevel, message: string, facts?: LogFacts): void
  /** Writes buffered lines; absent if nothing is buffered. */
  flush?(): void
}

/** Destination of lines. */
interface LineSink {
  (line: string): void
  flush?(): void
}

/** JSON lines for programs. */
export function jsonLog(out: LineSink, now: () => number = Date.now): RequestLog {
  let [at, time] = [NaN, '']
  return {
    write(level, message, facts = {}) {
      const ms = now()
      // Reuses the formatted time within one millisecond.
      if (ms !== at) [at, time] = [ms, new Date(ms).toISOString()]
      let line = `{"time":"${time}","level":"${level}","message":${JSON.stringify(message)}`
      for (const name in facts) {
        const value = facts[name]
        if (value !== undefined) line += `,"${name}":${JSON.stringify(value)}`
      }
      out(`${line}}\n`)
    },
    flush: () => out.flush?.(),
  }
}

/**
 * Lines for people. External text is escaped, so that it cannot forge lines or contain terminal
 * codes.
 */
export function textLog(out: LineSink, now: () => Date = () => new Date()): RequestLog {
  return {
    write(level, message, facts = {}) {
      const time = now().toTimeString().slice(0, 8)
      const rest = Object.entries(facts).flatMap(([name, value]) =>
        value === undefined ? [] : [`${name}=${quoteLogValue(String(value))}`],
      )
      const prefix = level === 'info' ? '' : `${level} `
      out(`${[time, `${prefix}${toPrintable(message)}`, ...rest].join(' ')}\n`)
    },
    flush: () => out.flush?.(),
  }
}

/** Maximum time and characters that lines are buffered. */
const BATCH_MS = 20
const MAX_BATCH_CHARS = 64 * 1024
/** Number of lines per interval that are written immediately; enough for one sequential client. */
const MAX_IMMEDIATE_LINES = 8

/**
 * Writes a line immediately, so that it is there before its response is sent. Under load, further
 * lines are buffered and written together, because a write costs more than a response. A killed
 * process loses its buffered lines; any other exit writes them with `flush`.
 */
export function batchLines(out: (lines: string) => void): LineSink & { flush(): void } {
  let waiting = ''
  let timer: NodeJS.Timeout | undefined
  let written = 0
  const flush = () => {
    const lines = waiting
    waiting = ''
    if (lines) out(lines)
  }
  const later = () => {
    timer = waiting ? setTimeout(later, BATCH_MS) : undefined
    written = 0
    flush()
  }
  const write = (line: string) => {
    timer ??= setTimeout(later, BATCH_MS)
    if (waiting === '' && written < MAX_IMMEDIATE_LINES) {
      written += 1
      return out(line)
    }
    waiting += line
    if (waiting.length >= MAX_BATCH_CHARS) flush()
  }
  return Object.assign(write, { flush })
}

/** Discards everything. */
export const SILENT_LOG: RequestLog = { write() {} }

function quoteLogValue(value: string): string {
  const text = toPrintable(value)
  return /[\s"]/.test(text) || text === '' ? JSON.stringify(text) : text
}
