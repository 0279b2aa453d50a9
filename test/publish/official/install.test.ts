// @module-tag slow
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createSiteProject, type SiteProject } from '../../cli/publish/published-site.ts'
import { createFolder } from '../../helpers/skills.ts'
import { missing, runClient, serveFolder } from './client.ts'

vi.setConfig({ testTimeout: 300_000 })

/** Installs a skill with the client into a new project; returns the project and the output. */
async function install(url: string, name: string): Promise<{ cwd: string; output: string }> {
  const cwd = createFolder({ 'package.json': '{}' })
  const argv = ['add', url, '--skill', name, '--agent', 'codex', '--yes', '--copy']
  return { cwd, output: await runClient({ cwd, home: createFolder() }, ...argv) }
}

async function digest({ run }: SiteProject, ...argv: string[]): Promise<string> {
  return (await run('info', '--digest', ...argv)).stdout.trim()
}

describe.skipIf(missing !== undefined)(
  `npx skills add${missing ? ` (not run: ${missing})` : ''}`,
  () => {
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
  },
)
