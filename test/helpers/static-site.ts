import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface StaticSite {
  origin: string
  /** Content by path; a URL is a redirect. */
  files: Map<string, string | Uint8Array | URL>
  /** Paths of the requests so far. */
  requests: string[]
}

/** A server on this machine with changeable files. */
export async function startStaticSite(): Promise<StaticSite> {
  const files: StaticSite['files'] = new Map()
  const requests: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push(path)
    const content = files.get(path)
    if (content === undefined) response.writeHead(404).end()
    else if (content instanceof URL) response.writeHead(302, { location: content.href }).end()
    else response.writeHead(200, { 'content-type': 'text/html' }).end(content)
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, files, requests }
}
