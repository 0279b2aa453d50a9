import { toPrintable } from '../../util/printable.ts'

export type RequestLogLevel = 'debug' | 'info' | 'warn' | 'error'
type LogFacts = Readonly<Record<string, string | number | boolean | undefined>>

/** One line for everything that happens. */
export interface RequestLog {
  write(level: RequestLogLevel, message: string, facts?: LogFacts): void
  /** Writes what was gathered; absent where nothing is. */
  flush?(): void
}

/** Where lines go. */
interface LineSink {
  (line: string): void
  flush?(): void
}

/** Lines of JSON, for programs. */
export function jsonLog(out: LineSink, now: () => number = Date.now): RequestLog {
  let [at, time] = [NaN, '']
  return {
    write(level, message, facts = {}) {
      const ms = now()
      // Many lines of one millisecond need not be told the time again.
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

/** Lines for people: what came from outside cannot leave its line or colour it. */
export function textLog(out: LineSink, now: () => Date = () => new Date()): RequestLog {
  return {
    write(level, message, facts = {}) {
      const time = now().toTimeString().slice(0, 8)
      const rest = Object.entries(facts).flatMap(([name, value]) =>
        value === undefined ? [] : [`${name}=${quoteLogValue(String(value))}`],
      )
      const mark = level === 'info' ? '' : `${level} `
      out(`${[time, `${mark}${toPrintable(message)}`, ...rest].join(' ')}\n`)
    },
    flush: () => out.flush?.(),
  }
}

/** How long a line may wait for others, and how many characters may. */
const BATCH_MS = 20
const MAX_BATCH_CHARS = 64 * 1024
/** Lines of such a moment that are written at once all the same: as many as come from one patient client. */
const MAX_IMMEDIATE_LINES = 8

/**
 * Writes a line at once, so that it is there before the answer is; where many come within moments, the
 * others are gathered and written together, for a write costs more than an answer. A process that is killed
 * takes the lines of its last moments with it; one that ends otherwise writes them by `flush`.
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

/** Says nothing. */
export const SILENT_LOG: RequestLog = { write() {} }

function quoteLogValue(value: string): string {
  const text = toPrintable(value)
  return /[\s"]/.test(text) || text === '' ? JSON.stringify(text) : text
}
