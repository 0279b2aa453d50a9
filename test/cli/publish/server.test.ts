// @module-tag slow
import { describe, expect, it, vi } from 'vitest'
import { startTestServer } from '../../helpers/server.ts'
import { runSkills } from '../../helpers/skills.ts'
import { createSiteProject } from './published-site.ts'

vi.setConfig({ testTimeout: 180_000 })

describe('skills publish --to http:', () => {
  it('uploads a skill that the server lists, compares its files, and replaces none', async () => {
    const server = await startTestServer()
    const { cwd, home, edit } = createSiteProject({ 'data/raw.bin': '\u0000\u0001' })
    const publish = async () =>
      await runSkills(['publish', './skills/greet', '--to', server.url, '--no-tests', '--json'], {
        cwd,
        env: { HOME: home },
      })
    const result = await publish()
    expect(result.stderr).not.toContain('error')
    expect(result.json()).toMatchObject({ status: 'published', target: server.url })
    const { skills } = await server.result('list_skills')
    expect(skills).toContainEqual(expect.objectContaining({ name: 'demo.greet' }))
    expect((await publish()).json()).toMatchObject({ status: 'present' })
    edit('code/main.py', 'Hello', 'Bye')
    const other = await publish()
    expect([other.code, other.stderr]).toEqual([3, expect.stringContaining('other content')])
  })

  it('shows no token in any output', async () => {
    const server = await startTestServer()
    const { cwd, home } = createSiteProject()
    const token = 'secret-token-of-this-test'
    for (const url of [server.url, 'http://127.0.0.1:1', `http://u:${token}@127.0.0.1:1`]) {
      const { stdout, stderr } = await runSkills(
        ['publish', './skills/greet', '--to', url, '--no-tests', '--debug'],
        { cwd, env: { HOME: home, SKILLS_TOKEN: token } },
      )
      expect(stdout + stderr).not.toContain(token)
    }
  })
})
