import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** One request to a raw test server. */
export interface RawRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
  bytes: Buffer
}

export interface RawServer {
  url: string
  requests: RawRequest[]
}

/** A server with a custom handler; `attempt` counts from 1. */
export async function startRawServer(
  answer: (request: RawRequest, response: ServerResponse, attempt: number) => void | Promise<void>,
): Promise<RawServer> {
  const requests: RawRequest[] = []
  const server = createServer((incoming, response) => void take(incoming, response))
  const take = async (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const { method = '', url: path = '', headers } = incoming
    const bytes = Buffer.concat(chunks)
    const request = { method, path, headers, bytes, body: bytes.toString('utf8') }
    await answer(request, response, requests.push(request))
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, requests }
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** Sends a JSON-RPC result or error. */
// eslint-disable-next-line max-params -- a request, its response, and what to say
export function sendAnswer(
  { body }: RawRequest,
  response: ServerResponse,
  answer: object,
  status = 200,
): void {
  const { id } = JSON.parse(body) as { id: unknown }
  sendJson(response, { jsonrpc: '2.0', id, ...answer }, status)
}
