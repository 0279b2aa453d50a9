import { toPrintable } from '../../util/printable.ts'

export type RequestLogLevel = 'debug' | 'info' | 'warn' | 'error'
type LogFacts = Readonly<Record<string, string | number | boolean | undefined>>

/** Structured log of requests and events. */
export interface RequestLog {
  write(level: RequestLogLevel, message: string, facts?: LogFacts): void
  /** Writes buffered lines; absent if nothing is buffered. */
  flush?(): void
}

/** Writes one line, with its terminator. */
interface LineSink {
  (line: string): void
  flush?(): void
}

/** Creates a log of JSON lines. */
export function jsonLog(out: LineSink, now: () => number = Date.now): RequestLog {
  let [cachedMs, cachedTime] = [NaN, '']
  return {
    write(level, message, facts = {}) {
      const ms = now()
      // Reuses the formatted time within one millisecond.
      if (ms !== cachedMs) [cachedMs, cachedTime] = [ms, new Date(ms).toISOString()]
      let line = `{"time":"${cachedTime}","level":"${level}","message":${JSON.stringify(message)}`
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
 * Creates a log of readable lines: time, level unless it is `info`, message, and `name=value`
 * fields. External text is escaped and quoted, so that it cannot forge a level, a field or a line,
 * or contain terminal codes.
 */
export function textLog(out: LineSink, now: () => Date = () => new Date()): RequestLog {
  return {
    write(level, message, facts = {}) {
      const time = now().toTimeString().slice(0, 8)
      const rest = Object.entries(facts).flatMap(([name, value]) =>
        value === undefined ? [] : [`${name}=${quoteLogValue(String(value))}`],
      )
      const prefix = level === 'info' ? '' : `${level} `
      out(`${[time, `${prefix}${quoteMessage(message)}`, ...rest].join(' ')}\n`)
    },
    flush: () => out.flush?.(),
  }
}

/** Limits of the buffer: age in milliseconds, and size in characters. */
const BATCH_MS = 20
const MAX_BATCH_CHARS = 64 * 1024
/** Lines per `BATCH_MS` that are written immediately; enough for one sequential client. */
const MAX_IMMEDIATE_LINES = 8

/**
 * Writes a line immediately, so that a request is logged before its response is sent. Under load,
 * further lines are buffered and written together, because one write per line takes longer than the
 * request itself. A killed process loses its buffered lines; any other exit writes them with
 * `flush`.
 */
export function batchLines(out: (lines: string) => void): LineSink & { flush(): void } {
  let buffered = ''
  let timer: NodeJS.Timeout | undefined
  let written = 0
  const flush = () => {
    const lines = buffered
    buffered = ''
    if (lines) out(lines)
  }
  const onTimer = () => {
    timer = buffered ? setTimeout(onTimer, BATCH_MS) : undefined
    written = 0
    flush()
  }
  const write = (line: string) => {
    timer ??= setTimeout(onTimer, BATCH_MS)
    if (buffered === '' && written < MAX_IMMEDIATE_LINES) {
      written += 1
      return out(line)
    }
    buffered += line
    if (buffered.length >= MAX_BATCH_CHARS) flush()
  }
  return Object.assign(write, { flush })
}

/** A log that discards everything. */
export const SILENT_LOG: RequestLog = { write() {} }

/** Text that would be read as a level or contain a field is quoted. */
function quoteMessage(message: string): string {
  const text = toPrintable(message)
  const isAmbiguous = /[=\\]|^(?:debug|info|warn|error)(?: |$)|^$/.test(text)
  return isAmbiguous ? JSON.stringify(text) : text
}

function quoteLogValue(value: string): string {
  const text = toPrintable(value)
  return /[\s"=]/.test(text) || text === '' ? JSON.stringify(text) : text
}
