import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { findChromium, openBrowser, type BrowserPage } from '../../helpers/chromium.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createSiteProject } from './published-site.ts'

vi.setConfig({ testTimeout: 180_000 })

const ATTACK = `</bdi><script>document.title = "attacked"</script><img src=x onerror='document.title="attacked"'><a href="javascript:alert(1)">x</a>`

async function publishAttack(): Promise<string> {
  const { publish, edit, site, run } = createSiteProject()
  edit(
    'SKILL.md',
    'description: Greets somebody by name.',
    `description: ${JSON.stringify(ATTACK)}`,
  )
  const result = await publish('--base-url', 'https://example.com')
  expect(result.stderr + result.code).toMatch(/0$/)
  await run(
    'publish',
    'yank',
    'greet@0.1.0',
    '--to',
    'site:./public',
    '--reason',
    ATTACK,
    '--dry-run',
  )
  return site
}

async function openFile(page: BrowserPage, file: string): Promise<Record<string, unknown>> {
  await page.send('Page.navigate', { url: pathToFileURL(file).href })
  const expression = `new Promise((done) => {
    const report = () => done(JSON.stringify({
      title: document.title,
      scripts: document.scripts.length,
      images: document.images.length,
      links: [...document.links].map((each) => each.protocol),
      text: document.body.innerText,
    }))
    if (document.readyState === 'complete') setTimeout(report, 100)
    else addEventListener('load', () => setTimeout(report, 100))
  })`
  return JSON.parse(String(await page.evaluate(expression))) as Record<string, unknown>
}

describe('the pages of a site', () => {
  it('contain no markup of a skill, no script, and no address from outside', async () => {
    const site = await publishAttack()
    for (const file of ['index.html', 'skills/greet/index.html']) {
      const html = readFileSync(join(site, file), 'utf8')
      expect(html).toContain('&lt;script&gt;')
      expect(html).not.toMatch(/<script|<img|javascript:(?!alert\(1\)&quot;)/)
      expect(html).toContain(`content="default-src 'none'; style-src 'sha256-`)
      for (const [, link = ''] of html.matchAll(/href="([^"]*)"/g)) {
        expect(link).toMatch(/^[\w./-]+$/)
      }
    }
  })

  it.skipIf(!findChromium())(
    'run no script in a browser, where naive pages do (needs chromium: apt-get install chromium-headless-shell)',
    async () => {
      const site = await publishAttack()
      const page = await openBrowser(findChromium() as string)
      for (const file of ['index.html', 'skills/greet/index.html']) {
        const shown = await openFile(page, join(site, file))
        expect(shown).toMatchObject({ scripts: 0, images: 0 })
        expect(shown['title']).not.toBe('attacked')
        expect(shown['text']).toContain('<script>')
        expect(shown['links']).not.toContain('javascript:')
      }
      const naive = createFolder({
        'index.html': `<!doctype html><title>x</title><p>${ATTACK}</p>`,
      })
      expect(await openFile(page, join(naive, 'index.html'))).toMatchObject({ title: 'attacked' })
    },
  )
})
