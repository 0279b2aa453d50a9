import type { LoggingLevel } from '@modelcontextprotocol/server'

/** A piece of a run's output. */
export interface LogData {
  stream: string
  level?: string
  text: string
}

/** One log message: complete lines of one stream and level. */
interface LogMessage {
  level: LoggingLevel
  logger: string
  text: string
}

interface LogBatcher {
  add(piece: LogData): void
  /** Sends the remaining lines. */
  finish(): Promise<void>
}

/** Lines that arrive within this time are sent as one message. */
const BATCH_MS = 40
/** Limits the characters queued for a slow client. The excess is dropped and counted. */
const MAX_WAITING = 64 * 1024

/** Joins pieces into complete lines. Sends no faster than the client accepts messages. */
export function batchLogs(send: (message: LogMessage) => Promise<void>): LogBatcher {
  const waiting: LogMessage[] = []
  const incomplete = new Map<string, LogMessage>()
  let size = 0
  let dropped = 0
  let sending: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  const put = (message: LogMessage) => {
    if (size + message.text.length > MAX_WAITING) {
      dropped += message.text.length
      return
    }
    size += message.text.length
    const last = waiting.at(-1)
    if (last && last.level === message.level && last.logger === message.logger) {
      last.text += `\n${message.text}`
    } else waiting.push(message)
  }
  const flush = async () => {
    timer = undefined
    const batch = [...waiting.splice(0), ...buildDroppedNotice(dropped)]
    size = 0
    dropped = 0
    for (const message of batch) await send(message)
    sending = undefined
    if (waiting.length > 0) schedule()
  }
  const schedule = () => {
    if (timer !== undefined || sending) return
    timer = setTimeout(() => {
      sending = flush()
    }, BATCH_MS)
  }
  return {
    add(piece) {
      const level = toLoggingLevel(piece)
      const key = `${piece.stream} ${level}`
      const before = incomplete.get(key)
      const text = (before?.text ?? '') + piece.text
      const end = text.lastIndexOf('\n')
      // Limits the length of an incomplete line.
      const cut = end === -1 && text.length > MAX_WAITING ? text.length : end
      const rest = cut === -1 ? text : text.slice(cut + 1)
      if (rest === '') incomplete.delete(key)
      else incomplete.set(key, { level, logger: piece.stream, text: rest })
      if (cut !== -1) put({ level, logger: piece.stream, text: text.slice(0, cut) })
      schedule()
    },
    async finish() {
      clearTimeout(timer)
      await sending
      clearTimeout(timer)
      for (const message of incomplete.values()) put(message)
      incomplete.clear()
      await flush()
    },
  }
}

function buildDroppedNotice(dropped: number): LogMessage[] {
  if (dropped === 0) return []
  const text = `${dropped} characters of the log were dropped because they arrived too fast`
  return [{ level: 'notice', logger: 'runtime', text }]
}

/** The levels of runs are a subset of MCP's. Standard error does not imply a severity. */
function toLoggingLevel({ level }: LogData): LoggingLevel {
  return level === 'debug' || level === 'warning' || level === 'error' ? level : 'info'
}
