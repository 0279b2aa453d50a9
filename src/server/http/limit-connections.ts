import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { RequestLog } from '../telemetry/request-log.ts'

/** Descriptors for runs, stores and modules that are loaded later. */
const RESERVED_DESCRIPTORS = 256
/** A connection and the file that its request reads or writes. */
const DESCRIPTORS_PER_CONNECTION = 2
const LOG_INTERVAL_MS = 10_000

/**
 * Limits the connections, so that a flood of them leaves file descriptors for the calls of others.
 * Further connections are closed at once.
 */
export function limitConnections(server: Server, log: RequestLog): void {
  const limit = readDescriptorLimit()
  if (limit === undefined) return
  const reserved = Math.min(RESERVED_DESCRIPTORS, Math.ceil(limit / 2))
  server.maxConnections = Math.floor((limit - reserved) / DESCRIPTORS_PER_CONNECTION)
  let lastLog = -Infinity
  server.on('drop', () => {
    const now = performance.now()
    if (now - lastLog < LOG_INTERVAL_MS) return
    lastLog = now
    log.write('warn', 'Connections are not accepted', {
      reason: `${server.maxConnections} are open; ulimit -n is ${limit}`,
    })
  })
}

/** Returns the limit of open files of this process; undefined if it is unknown. */
function readDescriptorLimit(): number | undefined {
  try {
    const [, soft] =
      /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined
  }
}
