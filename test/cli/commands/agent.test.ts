// @module-tag slow
import { describe, expect, it } from 'vitest'
import { TEST_SKILLS } from '../../helpers/agent.ts'
import { startTestServer } from '../../helpers/server.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'

/** Runs commands of one user in one folder. */
function shell() {
  const at = { cwd: createFolder(TEST_SKILLS), env: { HOME: createFolder() } }
  return async (line: string) => await runSkills(['agent', ...line.split(' ')], at)
}

describe('skills agent', () => {
  it('loads a skill and shows it in the next call', async () => {
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
      load_mode: 'turn',
      loaded: [{ skill: 'demo', docs: ['USAGE.md'] }],
    })
  })

  it('separates sessions and agents', async () => {
    const type = shell()
    await type('load demo --session s1 --agent lead')
    const { stderr: next } = await type('load demo --session s1 --agent lead')
    expect(next).toContain('skills agent show --content --session s1 --agent lead')
    for (const other of ['', ' --session s1', ' --agent lead']) {
      const { stdout, stderr } = await type(`show${other}`)
      expect(stdout).toBe('')
      expect(stderr).toContain(`No skill is loaded; type "skills agent load <skill>${other}"`)
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
    expect((await type('docs demo --mode clear')).stderr).toContain('No document is selected')
    expect((await type('docs other')).stderr).toContain('This skill has no documents')
  })

  it('ends loads with the turn, with a request, or never', async () => {
    const type = shell()
    await type('load demo --turn 1')
    expect((await type('show')).stdout).toContain('demo')
    expect((await type('show --turn 2')).stdout).toBe('')
    expect((await type('load other --turn 1')).stderr).toContain('"1" has ended')
    await type('load demo --load-mode session')
    expect((await type('show --turn 3')).stdout).toContain('demo')
    await type('load other --session s --load-mode once')
    const showContent = 'show --session s --content'
    expect((await type(showContent)).stdout).toContain('OTHER BODY')
    expect((await type(`${showContent} --request`)).stdout).toContain('OTHER BODY')
    expect((await type(`${showContent} --request`)).stdout).toBe('')
    expect((await type('show --session s --json')).json()).toMatchObject({
      load_mode: 'once',
      loaded: [],
    })
  })

  it('keeps at most --max-loaded skills', async () => {
    const type = shell()
    for (const skill of ['demo', 'other', 'third']) await type(`load ${skill} --max-loaded 2`)
    expect((await type('show')).stdout).toBe('other  -\nthird  -\n')
  })

  it('reports errors', async () => {
    const type = shell()
    const invalid: [string, number, string][] = [
      ['load', 2, 'skill'],
      ['load dmo', 3, 'unknown skill: dmo'],
      ['load demo --doc no.md', 2, "has no document 'no.md'"],
      ['load demo@9.9.9', 3, "has no version '9.9.9'"],
      ['docs demo --select a --all', 2, '--select and --all cannot be combined'],
      ['docs demo --mode clear --all', 2, '--mode clear cannot be combined'],
      ['docs demo --mode merge', 2, 'expected one of add, replace, clear'],
      ['load demo --load-mode twice', 2, 'expected one of turn, once, session'],
      ['load demo --max-loaded some', 2, 'Expected a whole number for --max-loaded, got "some"'],
      ['load demo --turn=', 2, "'turn': expected 1 to 256 characters, got 0"],
      [`load demo --turn ${'x'.repeat(257)}`, 2, "'turn': expected 1 to 256 characters, got 257"],
      ['load demo --agent=', 2, 'Expected 1 to 256 characters for --agent, got 0'],
      ['load demo --session=', 2, 'Expected 1 to 256 characters for --session, got 0'],
      ['docs demo --turn 2', 2, '--turn has no effect on a list of documents'],
      ['nothing', 2, 'nothing'],
    ]
    for (const [line, code, text] of invalid) {
      const done = await type(line)
      expect({ line, code: done.code }).toEqual({ line, code })
      expect(done.stderr).toContain(text)
      expect(done.stdout).toBe('')
    }
  })

  it.each([
    { words: ['agent', 'run', 'demo'], text: [] },
    { words: ['agent', 'exec', 'demo'], text: [] },
    { words: ['shell', 'demo'], text: ['-c'] },
  ])('gives a command what its skill declares: $words', async ({ words, text }) => {
    const toml =
      'name = "demo"\nversion = "1.0.0"\ndescription = "x"\n[permissions]\nsecrets = ["TOKEN"]\nnetwork = ["https://api.example.com"]\n'
    const cwd = createFolder({ ...TEST_SKILLS, 'skills/demo/skill.toml': toml })
    const run = async (...options: string[]) =>
      await runSkills(
        [...words, ...options, ...text, 'echo "<${#TOKEN}> <${HTTPS_PROXY:+proxy}>"'],
        {
          cwd,
          env: { HOME: createFolder(), TOKEN: 'very-secret-value' },
        },
      )
    const granted = await run('--secret', 'TOKEN', '--allow-network')
    expect(granted.stdout).toContain('<17> <proxy>')
    expect(granted.stderr).not.toContain('sandbox of its own')
    const without = await run()
    expect(without.stdout).toContain('<0> <>')
    expect(without.stderr).toMatch(/no network, although the skill declares .*--allow-network/)
    const wrong = await run('--secret', 'OTHER')
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(wrong.stderr).toContain('"demo" does not declare the secret "OTHER"')
    const remote = await run('--allow-network', '--url', 'http://127.0.0.1:1')
    expect(remote.stderr).toContain('--allow-network cannot be combined with --url')
  })

  it('runs nothing locally with a remote runtime', async () => {
    const at = { cwd: createFolder(TEST_SKILLS), env: { HOME: createFolder() } }
    const env = { ...at.env, SKILLS_URL: 'http://127.0.0.1:1' }
    await runSkills(['agent', 'load', 'demo'], at)
    for (const words of [
      ['agent', 'exec', 'demo', 'echo ran'],
      ['agent', 'run', 'demo', 'echo ran'],
      ['shell', 'demo', '-c', 'echo ran'],
    ]) {
      const done = await runSkills(words, { ...at, env })
      expect(done.code).not.toBe(0)
      expect(done.stdout).toBe('')
    }
  })

  it('prints the same for a remote runtime as locally', async () => {
    const server = await startTestServer({ tree: TEST_SKILLS })
    const [here, there] = [shell(), shell()]
    const lines = [
      'load demo --doc USAGE.md --turn 1',
      'load other --json',
      'load other --session s --max-loaded 1 --load-mode session',
      'load third --session s',
      'docs demo',
      'docs demo --json',
      'docs demo --select EXTRA.txt --mode add',
      'docs demo --all --json',
      'docs demo --mode clear',
      'docs other',
      'show',
      'show --session s --json',
      'show --content --agent child',
      'show --content',
      'show --turn 2',
      'load demo --turn 1',
      'load demo --turn=',
      `load demo --turn ${'x'.repeat(257)}`,
      'load dmo',
      'load demo@9.9.9',
      'load demo --doc no.md',
      'load demo --doc SKILL.md',
      'docs dmo',
      'load demo --session ' + 'x'.repeat(300),
    ]
    for (const line of lines) {
      const { code, stdout, stderr } = await here(line)
      const far = await there(`${line} --url ${server.url}`)
      const remoteError = far.stderr.replace(` --url ${server.url}`, '')
      expect({ line, code: far.code, stdout: far.stdout, stderr: remoteError }).toEqual({
        line,
        code,
        stdout,
        stderr,
      })
    }
  })
})
