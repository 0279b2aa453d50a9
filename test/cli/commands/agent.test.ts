import { describe, expect, it } from 'vitest'
import { SKILLS } from '../../helpers/agent.ts'
import { testServer } from '../../helpers/server.ts'
import { folder, skills } from '../../helpers/skills.ts'

/** Commands of one person in one folder. */
function shell() {
  const at = { cwd: folder(SKILLS), env: { HOME: folder() } }
  return async (line: string) => await skills(['agent', ...line.split(' ')], at)
}

describe('skills agent', () => {
  it('loads a skill, and knows it the next time', async () => {
    const type = shell()
    const load = await type('load demo --doc USAGE.md')
    expect(load).toMatchObject({ code: 0, stdout: 'loaded: demo\n' })
    expect((await type('show')).stdout).toBe('demo  USAGE.md\n')
    const { stdout } = await type('show --content')
    expect(stdout).toContain('[Loaded] demo\n# Demo\nDEMO BODY\n\n[Doc] USAGE.md\n# Usage')
    expect((await type('show --json')).json()).toEqual({
      schema: 'skills.agent-show/v1',
      session: 'default',
      agent: 'default',
      loaded: [{ skill: 'demo', docs: ['USAGE.md'] }],
    })
  })

  it('keeps sessions and agents apart', async () => {
    const type = shell()
    await type('load demo --session s1 --agent lead')
    for (const other of ['', ' --session s1', ' --agent lead']) {
      const { stdout, stderr } = await type(`show${other}`)
      expect(stdout).toBe('')
      expect(stderr).toContain('Nothing is loaded; type "skills agent load <skill>"')
    }
    expect((await type('show --session s1 --agent lead')).stdout).toContain('demo')
  })

  it('lists and selects documents', async () => {
    const type = shell()
    expect((await type('docs demo')).stdout).toBe('EXTRA.txt\nUSAGE.md\ndocs/a.md\n')
    await type('docs demo --select docs/a.md --select USAGE.md')
    const more = await type('docs demo --select EXTRA.txt --mode add --json')
    expect(more.json()).toMatchObject({ selected_docs: ['EXTRA.txt', 'USAGE.md', 'docs/a.md'] })
    expect((await type('docs demo --all')).stdout).toBe('*\n')
    expect((await type('docs demo --mode clear')).stderr).toContain('No document is selected now')
    expect((await type('docs other')).stderr).toContain('This skill has no documents')
  })

  it('says what is wrong', async () => {
    const type = shell()
    const wrong: [string, number, string][] = [
      ['load', 2, 'skill'],
      ['load dmo', 3, 'unknown skill: dmo'],
      ['load demo --doc no.md', 2, "has no document 'no.md'"],
      ['load demo@9.9.9', 3, "has no version '9.9.9'"],
      ['docs demo --select a --all', 2, '--select and --all contradict each other'],
      ['docs demo --mode clear --all', 2, '--mode clear selects nothing'],
      ['docs demo --mode merge', 2, 'expected one of add, replace, clear'],
      ['show --url http://127.0.0.1:9', 2, 'only shown where it is kept'],
      ['nothing', 2, 'nothing'],
    ]
    for (const [line, code, text] of wrong) {
      const done = await type(line)
      expect({ line, code: done.code }).toEqual({ line, code })
      expect(done.stderr).toContain(text)
      expect(done.stdout).toBe('')
    }
  })

  it('uses the tools of a runtime elsewhere', async () => {
    const server = await testServer({ tree: SKILLS })
    const type = shell()
    const load = await type(`load demo --url ${server.url}`)
    expect(load).toMatchObject({ code: 0, stdout: 'loaded: demo\n' })
    expect((await type(`docs demo --url ${server.url}`)).stdout).toContain('USAGE.md')
    expect((await type(`load dmo --url ${server.url}`)).code).not.toBe(0)
  })
})
