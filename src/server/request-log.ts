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

/** Writes the lines of one turn of the event loop at once: a write for each costs more than the rest. */
export function inBatches(out: (lines: string) => void): (line: string) => void {
  let lines = ''
  const flush = () => {
    const written = lines
    lines = ''
    out(written)
  }
  return (line) => {
    if (lines === '') setImmediate(flush)
    lines += line
  }
}

/** Says nothing. */
export const SILENT_LOG: RequestLog = { write() {} }

function shown(value: string): string {
  const text = printable(value)
  return /[\s"]/.test(text) || text === '' ? JSON.stringify(text) : text
}
