import { printable } from '../util/printable.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFacts = Readonly<Record<string, string | number | boolean | undefined>>

/** One line for everything that happens. */
export interface RequestLog {
  write(level: LogLevel, message: string, facts?: LogFacts): void
}

/** Lines of JSON, for programs. */
export function jsonLog(
  out: (line: string) => void,
  now: () => Date = () => new Date(),
): RequestLog {
  return {
    write(level, message, facts) {
      out(`${JSON.stringify({ time: now().toISOString(), level, message, ...facts })}\n`)
    },
  }
}

/** Lines for people: what came from outside cannot leave its line or colour it. */
export function textLog(
  out: (line: string) => void,
  now: () => Date = () => new Date(),
): RequestLog {
  return {
    write(level, message, facts = {}) {
      const time = now().toTimeString().slice(0, 8)
      const rest = Object.entries(facts).flatMap(([name, value]) =>
        value === undefined ? [] : [`${name}=${shown(String(value))}`],
      )
      const mark = level === 'info' ? '' : `${level} `
      out(`${[time, `${mark}${printable(message)}`, ...rest].join(' ')}\n`)
    },
  }
}

/**
 * Writes a line at once, so that it is there before the answer is; where many come in one turn of the
 * event loop, those behind the first are written together, for a write costs more than the rest.
 */
export function inBatches(out: (lines: string) => void): (line: string) => void {
  let waiting: string | undefined
  const flush = () => {
    const lines = waiting
    waiting = undefined
    if (lines) out(lines)
  }
  return (line) => {
    if (waiting !== undefined) {
      waiting += line
      return
    }
    waiting = ''
    setImmediate(flush)
    out(line)
  }
}

/** Says nothing. */
export const SILENT_LOG: RequestLog = { write() {} }

function shown(value: string): string {
  const text = printable(value)
  return /[\s"]/.test(text) || text === '' ? JSON.stringify(text) : text
}
