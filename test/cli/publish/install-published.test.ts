import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createFolder, runSkills } from '../../helpers/skills.ts'
import { createSiteProject, readDiscovery } from './published-site.ts'

vi.setConfig({ testTimeout: 180_000 })

async function serveSite(folder: string): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const file = join(folder, decodeURIComponent(new URL(url, 'http://localhost').pathname))
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
      return void response.writeHead(404).end()
    }
    response.end(readFileSync(file))
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it('skills install takes both versions of a published site, and verifies them', async () => {
  const { publish, edit, site, run } = createSiteProject()
  await publish()
  const { stdout: first } = await run('info', '--digest', './skills/greet', '--packed')
  edit('skill.toml', '0.1.0', '0.1.1')
  await publish()
  const { stdout: second } = await run('info', '--digest', './skills/greet', '--packed')
  expect(readDiscovery(site).skills).toMatchObject([{ version: '0.1.1' }])
  const url = await serveSite(site)
  for (const [source, digest] of [
    [`${url}#greet`, second],
    [`${url}#greet@0.1.0`, first],
  ] as const) {
    const cwd = createFolder({ 'skills.config.toml': '' })
    const env = { HOME: createFolder() }
    const result = await runSkills(['install', source, '--yes'], { cwd, env })
    expect(result.stderr + result.code).toMatch(/0$/)
    expect(existsSync(join(cwd, '.agents/skills/greet/SKILL.md'))).toBe(true)
    expect(
      (await runSkills(['info', '--digest', '.agents/skills/greet'], { cwd, env })).stdout,
    ).toBe(digest)
    expect(await runSkills(['verify'], { cwd, env })).toMatchObject({ code: 0 })
  }
})
