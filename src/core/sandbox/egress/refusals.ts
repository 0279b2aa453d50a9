import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { NetworkReason, NetworkRefusal } from './decision.ts'
import { bracketHost, type NetworkDestination } from './destination.ts'

/** Reason and message in a response to the client. */
interface RefusalResponse {
  reason: NetworkReason
  message: string
}

export const UNREADABLE_REQUEST: NetworkRefusal = {
  reason: 'malformed',
  message: 'The request cannot be parsed as plain HTTP/1.1',
}

export const UPGRADE_REFUSED: NetworkRefusal = {
  reason: 'request-refused',
  message: 'A request cannot switch to another protocol',
}

const STATUS: Partial<Record<NetworkReason, number>> = {
  malformed: 400,
  'request-refused': 400,
  'name-mismatch': 400,
  unreachable: 502,
  unresolved: 502,
}

/** Sends a code for programs and a sentence for models, and closes the connection. */
export function sendRefusal(response: ServerResponse, refusal: RefusalResponse): void {
  if (response.destroyed || response.headersSent) return void response.destroy()
  const { status, phrase, body } = renderRefusal(refusal)
  response.writeHead(status, phrase, {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    Connection: 'close',
  })
  response.end(body)
  response.req.resume()
}

/**
 * Does the same without a response object. Many clients show only the status line, so it carries
 * the message.
 */
export function writeRawRefusal(client: Duplex, refusal: RefusalResponse): void {
  const { status, phrase, body } = renderRefusal(refusal)
  const head = `HTTP/1.1 ${status} ${phrase}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`
  client.on('error', () => client.destroy())
  client.end(head + body.toString())
  client.resume()
  setTimeout(() => client.destroy(), 1000).unref()
}

/** Formats a destination as a Host header. */
export function formatHostHeader({ scheme, host, port }: NetworkDestination): string {
  return port === (scheme === 'http' ? 80 : 443)
    ? bracketHost(host)
    : `${bracketHost(host)}:${port}`
}

function renderRefusal({ reason, message }: RefusalResponse) {
  const status = STATUS[reason] ?? 403
  const phrase = `${message} (${reason})`.replaceAll(/[^\u0020-\u007E]/g, '?')
  return {
    status,
    phrase,
    body: Buffer.from(`${JSON.stringify({ error: { code: reason, message } })}\n`),
  }
}
