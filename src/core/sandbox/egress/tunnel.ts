import type { Duplex } from 'node:stream'
import { readClientHello } from './client-hello.ts'

/** How long connections may take. */
export interface EgressTimeouts {
  /** For a client to say what it wants. */
  headMs: number
  /** Without a byte: a model may think for minutes before it answers. */
  idleMs: number
}

export const DEFAULT_TIMEOUTS: EgressTimeouts = { headMs: 15_000, idleMs: 300_000 }

/** No client has its first message sent in so many pieces. */
const MAX_PIECES = 256

/** A fatal alert, "access denied": TLS libraries name it to their callers. */
const ACCESS_DENIED = Buffer.from([0x15, 3, 3, 0, 2, 2, 49])

/** The beginning of a connection, taken from it. */
export interface FirstMessage {
  bytes: Buffer
  isTls: boolean
  /** The name that the handshake asks for. */
  serverName?: string | undefined
}

/** Reads a client's first message; nothing where it ends or takes too long before. */
export async function readFirstMessage(
  client: Duplex,
  first: Buffer,
  withinMs: number,
): Promise<FirstMessage | undefined> {
  const deadline = performance.now() + withinMs
  let bytes = first
  for (let pieces = 1; ; pieces++) {
    const hello = bytes.length === 0 ? { kind: 'more' as const } : readClientHello(bytes)
    if (hello.kind === 'tls') return { bytes, isTls: true, serverName: hello.serverName }
    if (hello.kind === 'other' || pieces > MAX_PIECES) return { bytes, isTls: false }
    const more = await readNextBytes(client, deadline - performance.now())
    if (!more) return undefined
    bytes = Buffer.concat([bytes, more])
  }
}

/** Ends a TLS client with a word about why. */
export function sendTlsAlert(client: Duplex): void {
  client.end(ACCESS_DENIED)
  client.resume()
  setTimeout(() => client.destroy(), 1000).unref()
}

/** Lets two connections talk until both have ended. */
export function spliceStreams(client: Duplex, upstream: Duplex, begun: Buffer): void {
  upstream.write(begun)
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
