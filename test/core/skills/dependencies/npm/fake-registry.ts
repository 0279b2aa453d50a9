import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'
import { buildTar, type TarPart } from '../../../packing/hostile/build-tar.ts'

/** A version of a package in the fake registry. */
export interface FakeVersion {
  name: string
  version?: string
  /** Fields of its package.json besides name and version. */
  manifest?: Record<string, unknown>
  /** Contents by path, below "package/". */
  files?: Readonly<Record<string, string>>
  /** The archive instead of one of `files`. */
  archive?: Buffer
  deprecated?: string
}

export interface FakeRegistry {
  url: string
  /** Method and path of all requests, with their authorization. */
  requests: { line: string; authorization: string | undefined; body: string }[]
  add(version: FakeVersion): Published
  /** Answers a path in another way. */
  answer(path: string, handler: (response: ServerResponse, request: IncomingMessage) => void): void
  setTag(name: string, tag: string, version: string): void
}

export interface Published {
  integrity: string
  resolved: string
  archive: Buffer
}

/** Archive of a package, as `npm publish` makes it. */
export function buildPackage({ name, version = '1.0.0', manifest, files }: FakeVersion): Buffer {
  const own = JSON.stringify({ name, version, main: 'index.js', ...manifest })
  const parts: TarPart[] = Object.entries({ 'package.json': own, ...files }).map(
    ([path, data]) => ({ path: `package/${path}`, data }),
  )
  return gzipSync(buildTar(parts))
}

export function computeIntegrity(archive: Uint8Array): string {
  return `sha512-${createHash('sha512').update(archive).digest('base64')}`
}

/** A registry on this machine, which ends with the test. */
export async function openFakeRegistry(): Promise<FakeRegistry> {
  const packuments = new Map<string, { tags: Record<string, string>; versions: Map<string, object> }>()
  const archives = new Map<string, Buffer>()
  const handlers = new Map<string, (response: ServerResponse, request: IncomingMessage) => void>()
  const requests: FakeRegistry['requests'] = []
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    const path = decodeURIComponent(url.slice(1).split('?', 1)[0] ?? '')
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      requests.push({ line: `${method} ${url}`, authorization: headers.authorization, body })
      const handler = handlers.get(path)
      if (handler) return handler(response, request)
      const archive = archives.get(path)
      if (archive) return response.end(archive)
      const found = packuments.get(path)
      if (!found) return response.writeHead(404).end('{}')
      const { tags, versions } = found
      const all = { name: path, 'dist-tags': tags, versions: Object.fromEntries(versions) }
      return response.end(JSON.stringify(all))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    url,
    requests,
    answer: (path, handler) => void handlers.set(path, handler),
    setTag: (name, tag, version) => {
      const found = packuments.get(name)
      if (found) found.tags[tag] = version
    },
    add: (item) => {
      const { name, version = '1.0.0', manifest, deprecated } = item
      const archive = item.archive ?? buildPackage(item)
      const file = `${name}/-/${name.split('/').at(-1)}-${version}.tgz`
      const published = { integrity: computeIntegrity(archive), resolved: url + file, archive }
      archives.set(file, archive)
      const { integrity, resolved } = published
      const dist = { integrity, tarball: resolved }
      const found = packuments.get(name) ?? { tags: {}, versions: new Map<string, object>() }
      const entry = { name, version, ...manifest, dist, ...(deprecated && { deprecated }) }
      found.versions.set(version, entry)
      found.tags['latest'] = version
      packuments.set(name, found)
      return published
    },
  }
}
