// @module-tag slow
// @module-tag nightly
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { startServe } from '../helpers/served.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const POLICY = `[allow]
languages = ["python", "shell"]
[[rules]]
name = "guests"
when = { tokens = ["guest*"] }
refuse = "Guests may look only"
[approval]
command = ["/bin/true"]
`

/** A command line and a server have other defaults, which the layer of concurrency shows. */
const SLOTS = `max_concurrent = 5
max_waiting = 7
`

/** A server and a command line with the same data and settings. */
async function openBoth() {
  const cwd = createFolder({
    ...prefixPaths('skills/greet', createActionSkill('demo.greet')),
    '.config/skills/policy.toml': POLICY,
    'repo/x': '',
    '.config/skills/config.toml':
      '[repositories]\napp = "../../repo"\n[run]\ntimeout = "9s"\n' + SLOTS,
  })
  const { url } = await startServe([], { cwd })
  const run = async (argv: readonly string[]) =>
    await runSkills([...argv], { cwd, env: { HOME: cwd } })
  return { cwd, url, run }
}

type Both = Awaited<ReturnType<typeof openBoth>>

async function expectSame({ run, url }: Both, argv: readonly string[]) {
  const [local, remote] = [await run(argv), await run([...argv, '--url', url])]
  expect(remote.stdout, `${argv.join(' ')}: ${remote.stderr}`).toBe(local.stdout)
  expect(remote.code, argv.join(' ')).toBe(local.code)
  return remote
}

describe('commands of the operator with --url', () => {
  it('audit prints what it prints on the machine of the server', async () => {
    const both = await openBoth()
    await both.run(['exec', 'demo.greet', '--arg', 'name=Ada'])
    await both.run(['exec', 'demo.greet', '--arg', 'name=Bob'])
    for (const argv of [
      ['ls'],
      ['ls', '--json'],
      ['ls', '--limit', '1'],
      ['ls', '--event', 'begun', '--since', '1h', '--skill', 'demo.greet'],
      ['ls', '--denied'],
      ['verify'],
      ['verify', '--json'],
      ['verify', '--anchor', `2:${'f'.repeat(64)}`],
      ['export'],
      ['export', '--json', '--kind', 'execute_skill'],
    ]) {
      await expectSame(both, ['audit', ...argv])
    }
    const dir = join(both.cwd, '.local/share/skills/audit')
    const [name = ''] = readdirSync(dir).filter((each) => each.endsWith('.jsonl'))
    const exported = await both.run(['audit', 'export', '--url', both.url])
    expect(exported.stdout).toBe(readFileSync(join(dir, name), 'utf8'))
    expect(exported.stdout).toContain('demo.greet')
  })

  it('policy prints what it prints on the machine of the server', async () => {
    const both = await openBoth()
    const request = { door: 'http', token: 'guest-1' }
    for (const argv of [
      ['check', JSON.stringify({ ...request, skills: ['demo.greet'] })],
      ['check', JSON.stringify({ ...request, runtime: 'shell', repoId: 'app' }), '--json'],
      ['check', JSON.stringify({ ...request, token: 'ada', runtime: 'shell' }), '--json'],
      ['explain'],
      ['explain', '--json'],
    ]) {
      const found = await expectSame(both, ['policy', ...argv])
      if (argv[0] === 'explain') expect(found.stdout).toContain('guests')
    }
    const own = ['policy', 'explain', '--url', both.url, '--policy', 'x.toml']
    expect(await both.run(own)).toMatchObject({ code: 2 })
  })

  it('config prints what it prints on the machine of the server', async () => {
    const both = await openBoth()
    const shown = await expectSame(both, ['config'])
    expect(shown.stdout).toMatch(/run\.timeout +9 s +user: .*config\.toml:4/)
    for (const argv of [['--json'], ['run.timeout'], ['get', 'roots', '--json'], ['get', 'rots']]) {
      await expectSame(both, ['config', ...argv])
    }
  })

  it('agent ls and request print what they print on the machine of the server', async () => {
    const both = await openBoth()
    await both.run(['agent', 'load', 'demo.greet', '--session', 's1'])
    const { json } = await both.run(['agent', 'ls', '--json'])
    const [{ id } = { id: '' }] = json()['sessions'] as { id: string }[]
    for (const argv of [
      ['ls'],
      ['ls', '--json'],
      ['request', id],
      ['request', id, '--format', 'gemini', '--profile', 'knowledge', '--json'],
      ['request', 'f'.repeat(40)],
    ]) {
      await expectSame(both, ['agent', ...argv])
    }
    expect((await both.run(['agent', 'request', id])).stdout).toContain('System message: loaded')
  })

  it('doctor prints the checks of the machine of the server', async () => {
    const both = await openBoth()
    const [local, remote] = [
      await both.run(['doctor', '--json']),
      await both.run(['doctor', '--json', '--url', both.url]),
    ]
    const readChecks = ({ json }: typeof local) =>
      (json()['checks'] as { id: string; ok: boolean | null; fix: string | null }[]).map(
        ({ id, ok, fix }) => ({ id, ok, fix }),
      )
    expect(readChecks(remote)).toEqual(readChecks(local))
    expect(remote.code).toBe(local.code)
    expect(Object.keys(remote.json())).toEqual(Object.keys(local.json()))
    const fixed = await both.run(['doctor', '--fix', '--url', both.url])
    expect(fixed).toMatchObject({ code: 2 })
    expect(fixed.stderr).toContain('on the machine of the server')
  }, 900_000)

  it('refuses a token without the scope "operate", and says which scope is missing', async () => {
    const cwd = createFolder({ tokens: 'ada-token-0123456789 ada\n', 'skills/.keep': '' })
    const { url } = await startServe(['--token-file', 'tokens'], { cwd })
    const env = { HOME: cwd, SKILLS_TOKEN: 'ada-token-0123456789' }
    for (const argv of [['audit', 'ls'], ['policy', 'explain'], ['config'], ['doctor']]) {
      const refused = await runSkills([...argv, '--url', url], { cwd, env })
      expect(refused, argv.join(' ')).toMatchObject({ code: 3, stdout: '' })
      expect(refused.stderr, argv.join(' ')).toContain('"operate"')
    }
    const sessions = await runSkills(['agent', 'ls', '--url', url], { cwd, env })
    expect(sessions.code).toBe(0)
  })
})

describe('commands of authors with --url', () => {
  const DOCS = '---\nname: demo.greet\ndescription: Greets.\n---\n# Greet\n\n[gone](missing.md)\n'
  const openWithFinding = async () => {
    const cwd = createFolder({
      ...prefixPaths('skills/greet', createActionSkill('demo.greet')),
      'skills/greet/SKILL.md': DOCS,
      // A file of this machine with the path of a file of the server is not shown.
      'demo.greet/SKILL.md': 'a text of this machine',
    })
    const { url } = await startServe([], { cwd })
    const run = async (argv: readonly string[]) =>
      await runSkills([...argv], { cwd, env: { HOME: cwd } })
    return { cwd, url, run }
  }

  it('lint reports the findings of a skill of the server, with their lines', async () => {
    const both = await openWithFinding()
    const local = await both.run(['lint', 'skills/greet', '--json'])
    const remote = await both.run(['lint', 'demo.greet', '--json', '--url', both.url])
    const read = ({ json }: typeof local) =>
      (json()['findings'] as { rule: string; line: number; message: string }[]).map(
        ({ rule, line, message }) => ({ rule, line, message }),
      )
    expect(read(remote)).toEqual(read(local))
    expect(remote.code).toBe(local.code)
    const shown = await both.run(['lint', '--url', both.url])
    expect(shown.code).toBe(1)
    expect(shown.stdout).toContain('demo.greet/SKILL.md')
    expect(shown.stdout).toContain('[gone](missing.md)')
    expect(shown.stdout).not.toContain('a text of this machine')
  })

  it('lint tells the versions of a skill apart', async () => {
    const version = (number: string, target: string) =>
      prefixPaths(`skills/greet-${number}`, {
        ...createActionSkill('demo.greet', { version: number }),
        'SKILL.md': DOCS.replace('missing.md', target),
      })
    const cwd = createFolder({ ...version('1.0.0', 'first.md'), ...version('2.0.0', 'second.md') })
    const { url } = await startServe([], { cwd })
    const { stdout } = await runSkills(['lint', '--url', url], { cwd, env: { HOME: cwd } })
    expect(stdout).toMatch(/demo\.greet@1\.0\.0\/SKILL\.md.*\n.*\(first\.md\)/)
    expect(stdout).toMatch(/demo\.greet@2\.0\.0\/SKILL\.md.*\n.*\(second\.md\)/)
  })

  it('lint shows no secret of a skill of the server, in no report and no fix', async () => {
    const secret = 'q8Zr2Lw9Xk4Tn7Vb1Ym6'
    const cwd = createFolder({
      ...prefixPaths('skills/greet', createActionSkill('demo.greet')),
      'skills/greet/code/main.py': `TOKEN = "${secret}"  \n\n\ndef main(args):\n    return {"n": len(TOKEN)}\n`,
    })
    const { url } = await startServe([], { cwd })
    for (const format of ['pretty', 'sarif', 'json']) {
      const argv = ['lint', 'demo.greet', '--format', format, '--url', url]
      const { stdout } = await runSkills(argv, { cwd, env: { HOME: cwd } })
      expect(stdout, format).toContain('permissions/secret-literal')
      expect(stdout, format).not.toContain(secret)
    }
    const params = { name: 'demo.greet' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'lint_skill', params })
    const headers = { 'content-type': 'application/json' }
    const answer = await (await fetch(`${url}/rpc`, { method: 'POST', headers, body })).text()
    expect(answer).toContain('TOKEN = ')
    expect(answer).not.toContain(secret)
  })

  it('lint refuses what happens where the files are', async () => {
    const cwd = createFolder({})
    for (const flag of [['--fix'], ['--select', 'docs'], ['--watch'], ['--add-suppressions']]) {
      const argv = ['lint', 'demo.greet', ...flag, '--url', 'http://127.0.0.1:9']
      const refused = await runSkills(argv, { cwd, env: { HOME: cwd } })
      expect(refused, flag[0]).toMatchObject({ code: 2, stdout: '' })
      expect(refused.stderr).toContain(`${flag[0]} cannot be combined with --url`)
    }
  })

  it('tokens prints what it prints on the machine of the server', async () => {
    const both = await openBoth()
    for (const argv of [[], ['--json'], ['--encoding', 'cl100k']]) {
      await expectSame(both, ['tokens', ...argv])
    }
    const one = await both.run(['tokens', 'demo.greet', '--json', '--url', both.url])
    expect(one.json()['skills']).toHaveLength(1)
    const unknown = await both.run(['tokens', 'demo.gret', '--url', both.url])
    expect(unknown.code).not.toBe(0)
    expect(unknown.stderr).toContain('demo.greet')
  })
})
