import type { Duplex } from 'node:stream'
import { readClientHello } from './client-hello.ts'

/** Timeouts of connections. */
export interface EgressTimeouts {
  /** For the first message or the request head of a client. */
  headMs: number
  /** Without any byte. Long, because a model may think for minutes before it responds. */
  idleMs: number
}

export const DEFAULT_TIMEOUTS: EgressTimeouts = { headMs: 15_000, idleMs: 300_000 }

/** More than any real client uses for its first message. */
const MAX_PIECES = 256

/** A fatal alert, "access denied", which TLS libraries report to their callers. */
const ACCESS_DENIED = Buffer.from([0x15, 3, 3, 0, 2, 2, 49])

/** First message of a connection, already read from it. */
export interface FirstMessage {
  bytes: Buffer
  isTls: boolean
  /** Server name (SNI) of the handshake. */
  serverName?: string | undefined
  /** Protocols that the handshake offers (ALPN). */
  protocols?: readonly string[] | undefined
}

/** Reads the first message of a client; undefined if it ends or times out first. */
export async function readFirstMessage(
  client: Duplex,
  first: Buffer,
  withinMs: number,
): Promise<FirstMessage | undefined> {
  const deadline = performance.now() + withinMs
  let bytes = first
  for (let pieces = 1; ; pieces++) {
    const hello = bytes.length === 0 ? { kind: 'more' as const } : readClientHello(bytes)
    if (hello.kind === 'tls') {
      const { serverName, protocols } = hello
      return { bytes, isTls: true, serverName, protocols }
    }
    if (hello.kind === 'other' || pieces > MAX_PIECES) return { bytes, isTls: false }
    const more = await readNextBytes(client, deadline - performance.now())
    if (!more) return undefined
    bytes = Buffer.concat([bytes, more])
  }
}

/** Closes a TLS connection with an alert. */
export function sendTlsAlert(client: Duplex): void {
  client.end(ACCESS_DENIED)
  client.resume()
  setTimeout(() => client.destroy(), 1000).unref()
}

/** Pipes two connections into each other until both have ended. */
export function spliceStreams(client: Duplex, upstream: Duplex, firstBytes: Buffer): void {
  upstream.write(firstBytes)
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    from.pipe(to)
    from.on('error', () => to.destroy())
    from.on('close', () => {
      if (!from.readableEnded) to.destroy()
    })
  }
}

function readNextBytes(client: Duplex, withinMs: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const done = (bytes?: Buffer) => {
      clearTimeout(timer)
      client.pause()
      client.off('data', done).off('end', end).off('close', end).off('error', end)
      resolve(bytes)
    }
    const end = () => done()
    const timer = setTimeout(end, withinMs)
    if (client.destroyed || client.readableEnded) return end()
    client.on('data', done).on('end', end).on('close', end).on('error', end)
    client.resume()
  })
}
