// @module-tag slow
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createSiteProject, readDiscovery, readFiles } from './published-site.ts'

vi.setConfig({ testTimeout: 180_000 })

const suite = (greeting: string): string => `suite = "greet"

[[cases]]
name = "greets"
args = { name = "Ada" }
expect = [{ result = { path = "greeting", equals = "${greeting}" } }]
`

describe('the version of a publication', () => {
  it(
    'is refused if it has other files, is lower, or its step is too small',
    { tags: ['slow'] },
    async () => {
      const { publish, site, edit } = createSiteProject()
      await publish()
      const before = readFiles(site)
      const again = await publish()
      expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('already there')])
      edit('code/main.py', 'Hello', 'Hi')
      const other = await publish()
      expect([other.code, other.stderr]).toEqual([3, expect.stringContaining('other content')])
      edit('skill.toml', '0.1.0', '0.0.9')
      expect((await publish()).stderr).toContain('0.0.9 is not higher')
      edit('skill.toml', '0.0.9', '0.1.1')
      edit('skill.toml', 'name = { type', 'whom = { type')
      const small = await publish()
      expect([small.code, small.stderr]).toEqual([3, expect.stringContaining('need a major step')])
      expect(small.stderr).toContain('Set the version to 0.2.0')
      expect(readFiles(site)).toEqual(before)
      expect(await publish('--allow-small-step')).toMatchObject({ code: 0 })
      expect(readDiscovery(site).skills).toMatchObject([{ name: 'greet', version: '0.1.1' }])
    },
  )

  it('is withdrawn by yank, falls back to the one before, and is not used again', async () => {
    const { publish, run, site, edit } = createSiteProject()
    const yank = async (version: string, ...options: string[]) =>
      await run('publish', 'yank', `greet@${version}`, '--to', 'site:./public', ...options)
    await publish()
    edit('skill.toml', '0.1.0', '0.1.1')
    await publish()
    const before = readFiles(site)
    expect(await yank('0.1.1', '--dry-run')).toMatchObject({ code: 0 })
    expect(readFiles(site)).toEqual(before)
    const yanked = (await yank('0.1.1', '--reason', 'it <deletes> files', '--json')).json()
    expect(yanked).toMatchObject({ status: 'yanked', newest: '0.1.0' })
    expect(readDiscovery(site).skills).toMatchObject([{ version: '0.1.0' }])
    const after = readFiles(site)
    expect(after['skills/greet/index.html']).toContain('it &lt;deletes&gt; files')
    expect(after['.claude-plugin/marketplace.json']).not.toContain('0.1.1')
    for (const [path, bytes] of Object.entries(before)) {
      if (path.startsWith('skills/greet/0.1.1/')) expect(after[path]).toBe(bytes)
    }
    expect((await yank('0.1.1', '--json')).json()).toMatchObject({ status: 'present', writes: [] })
    const again = await publish()
    expect([again.code, again.stderr]).toEqual([3, expect.stringContaining('was withdrawn')])
    await yank('0.1.0')
    expect(readDiscovery(site).skills).toEqual([])
    expect((await yank('9.9.9')).code).toBe(3)
  })

  it('is refused with failed tests, which leave the site as it is', async () => {
    const { run, site, skill } = createSiteProject({ 'tests/greet.test.toml': suite('Bye') })
    const argv = ['publish', './skills/greet', '--to', 'site:./public']
    const { code, stderr } = await run(...argv)
    expect([code, stderr]).toEqual([3, expect.stringContaining('1 test failed')])
    expect(readFiles(site)).toEqual({})
    writeFileSync(join(skill, 'tests/greet.test.toml'), suite('Hello, Ada'))
    expect((await run(...argv, '--json')).json()).toMatchObject({
      status: 'published',
      tests: { status: 'passed', cases: 1 },
    })
  })

  it.each([
    [
      'a front matter that only some clients read',
      'description: Greets',
      'description: Use: Greets',
    ],
    ['a front matter without a name', 'name: greet\n', ''],
  ])('is refused with %s', async (_, before, after) => {
    const { publish, site, edit } = createSiteProject()
    edit('SKILL.md', before, after)
    const { code, stderr } = await publish()
    expect([code, stderr]).toEqual([3, expect.stringMatching(/front matter|lint error/)])
    expect(readFiles(site)).toEqual({})
  })
})
