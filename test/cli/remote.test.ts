// @module-tag slow
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { parseTokens } from '../../src/server/auth/tokens.ts'
import { startProgram } from '../helpers/program.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { startRawServer, sendAnswer } from '../helpers/raw-server.ts'
import { startTestServer, type ServerSetup } from '../helpers/server.ts'
import { createFolder, runSkills, type CliInvocation } from '../helpers/skills.ts'

const COUNT = `[inputs]
text = { type = "blob", description = "What is counted", required = true }
times = { type = "integer", description = "How often" }
`
const COUNTING = `from runtime import blobs, log
def main(args):
    text = blobs.read_text(args["text"])
    log.info("counting")
    made = blobs.write_bytes(bytes(range(256)), kind="application/x-count")
    return {"length": len(text) * args.get("times", 1)}
`
const tree = {
  ...prefixPaths('skills/greet', createActionSkill('demo.greet')),
  ...prefixPaths('skills/old', createActionSkill('demo.greet', { version: '0.0.9' })),
  ...prefixPaths('skills/count', {
    ...createActionSkill('demo.count', { toml: COUNT }),
    'code/main.py': COUNTING,
  }),
  'skills/greet/resources/dot.bin': new Uint8Array([0, 255, 1]),
}

/** Runs the same command line locally, where the skills are, and remotely. */
async function both(argv: readonly string[], at: CliInvocation = {}, setup: ServerSetup = {}) {
  const server = await startTestServer({ tree, ...setup })
  const env = { HOME: server.dir, ...at.env }
  const here = await runSkills(argv, { ...at, cwd: server.dir, env })
  const there = await runSkills([...argv, '--url', server.url], { ...at, env: at.env ?? {} })
  return { here, there, server }
}

/** Replaces values that differ per run or machine. */
const unsteady = (text: string) =>
  text
    .replaceAll(/"run_id": "run_[0-9a-f]+"/g, '"run_id": "run_…"')
    .replaceAll(/blob:[0-9a-f]{32}/g, 'blob:…')
    .replaceAll(/"duration_ms": \d+/g, '"duration_ms": 0')
    .replaceAll(/"user": \d+/g, '"user": 0')
    .replaceAll(/"(path|reason|memory_layout)": "[^"]*"/g, '"$1": "…"') // A server keeps sandboxes warm.
    .replaceAll(/"(dir|root)": "[^"]*",?\s*/g, '')
    .replaceAll(/"problems": \[[^\]]*\]/g, '"problems": []')
    .replaceAll(/"(created_at|expires_at)": ("[^"]*"|null)/g, '"$1": "…"')
    .replaceAll(/^Folder.*\n/gm, '')
    .replaceAll(/,?\s*\}/g, '}')

describe('a command with --url', () => {
  it.each([
    [['list']],
    [['list', '--json']],
    [['list', '--namespace', 'demo', '--latest', '--kind', 'action']],
    [['list', '--tag', 'none']],
    [['describe', 'demo.greet', '--json']],
    [['describe', 'demo.count', '--full', '--json']],
    [['describe', 'demo.greet@0.0.9']],
    [['read', 'demo.greet', 'SKILL.md']],
    [['read', 'demo.greet', 'resources/dot.bin', '--json']],
    [['read', 'demo.greet@0.0.9', 'skill.toml', '--json']],
    [['exec', 'demo.greet', '--arg', 'name=Ada']],
    [['exec', 'demo.greet@0.0.9', '--args', '{"name":"Ada"}', '--json', '--timeout', '30s']],
    [['exec', 'demo.greet', '--arg', 'name=Ada', '--quiet']],
    [['run-code', '--code', 'def main(args): return args["n"] * 2', '--arg', 'n=21']],
    [['run-code', '--code', 'def main(args):\n  print("so far")\n  return undefined']],
    [['run-code', '--code', 'def main(args): raise ValueError("no")', '--json']],
    [['run-code', '--mount', 'demo.greet', '--code', 'from skills.demo.greet import main']],
    [['run-code', '--entrypoint', 'other', '--code', 'def other(args): return 3']],
  ])('prints the same as locally: %j', { timeout: 60_000 }, async (argv) => {
    const { here, there } = await both(argv)
    expect(there.code).toBe(here.code)
    expect(unsteady(there.stdout)).toBe(unsteady(here.stdout))
    expect(unsteady(there.stderr)).toBe(unsteady(here.stderr))
  })

  it.each([
    [['exec', 'demo.great'], 3],
    [['exec', 'demo.greet@9.0.0'], 3],
    [['describe', 'absent'], 3],
    [['describe', 'demo.greet@'], 2],
    [['read', 'demo.greet', 'none.md'], 3],
    [['exec', 'demo.count', '--arg', 'times=often'], 2],
    [['run-code', '--mount', 'demo.great', '--code', 'x = 1'], 3],
    [['run-code', '--code', ' '], 2],
  ])('fails as it does locally: %j', async (argv, code) => {
    const { here, there } = await both([...argv, '--json'])
    expect(there.code).toBe(code)
    expect(here.code).toBe(code)
    type Failure = { error: { code: string; hint?: string } }
    const [mine, theirs] = [here, there].map((each) => each.json()) as unknown as [Failure, Failure]
    expect(theirs.error.code).toBe(mine.error.code)
    expect(theirs.error.hint).toBe(mine.error.hint)
  })

  it.each([
    [['exec', 'skills.protocol.guide'], 3],
    [['exec', 'demo.greet', '--timeout', '10h'], 2],
    [['exec', 'demo.greet', '--input-blob', `blob:${'0'.repeat(32)}`], 3],
    [['exec', 'demo.count', '--arg', `text=blob:${'0'.repeat(32)}`], 3],
  ])('has the same error code and exit status as locally: %j', async (argv, code) => {
    const { here, there } = await both([...argv, '--json'])
    expect(there.code).toBe(code)
    expect(here.code).toBe(code)
    const [mine, theirs] = [here, there].map((each) => each.json()['error'] as { code: string })
    expect(theirs?.code).toBe(mine?.code)
  })

  it('sends files as blobs, shows logs and saves created blobs', async () => {
    const dir = createFolder({ 'text.txt': 'four' })
    const { url } = await startTestServer({ tree })
    const argv = ['exec', 'demo.count', '--blob', 'text=text.txt', '--arg', 'times=2']
    const { code, stdout, stderr } = await runSkills([...argv, '--url', url, '--out', 'made'], {
      cwd: dir,
    })
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{\n  "length": 8\n}\n' })
    expect(stderr).toMatch(
      /^\[info\] counting\nSaved made\/[0-9a-f]{32}\.bin \(application\/x-count, 256 bytes\)\n$/,
    )
    const [file = ''] = readdirSync(join(dir, 'made'))
    expect([...readFileSync(join(dir, 'made', file))]).toEqual([...Array(256).keys()])
  })

  it.each([
    ['small text', 'a,b\n'],
    ['small bytes', Buffer.from([0, 255])],
    ['nothing', ''],
    ['more than fits into a call', randomBytes(2_000_000)],
  ])('stores and fetches %s', async (_, content) => {
    const { url } = await startTestServer()
    const cwd = createFolder({ 'file.dat': content })
    const env = { SKILLS_URL: url }
    const put = await runSkills(['blobs', 'put', 'file.dat', '--kind', 'text/x-any', '--json'], {
      cwd,
      env,
    })
    const { blob } = put.json() as { blob: Record<string, unknown> }
    expect(blob).toMatchObject({ kind: 'text/x-any', size_bytes: content.length, created_at: null })
    expect(blob['digest']).toMatch(/^sha256:[0-9a-f]{64}$/)
    const id = String(blob['blob_id'])
    const got = await runSkills(['blobs', 'get', id, '--out', 'copy.dat'], { cwd, env })
    expect(got.code).toBe(0)
    expect(readFileSync(join(cwd, 'copy.dat')).equals(Buffer.from(content))).toBe(true)
    const piped = await runSkills(['blobs', 'put', '-'], { cwd, env, stdin: content })
    expect(piped.stdout).toMatch(/^blob:[0-9a-f]{32}\n$/)
    const short = await runSkills(['blobs', 'get', id.slice('blob:'.length), '--json'], {
      cwd,
      env,
    })
    expect(short.code).toBe(content.length > 1024 ** 2 ? 3 : 0)
    const shown = await runSkills(['blobs', 'get', id], { cwd, env })
    expect(shown.code).toBe(0)
    expect((await runSkills(['blobs', 'get', 'blob:none'], { cwd, env })).code).toBe(3)
  })

  it.each([
    [['exec', 'demo.greet', '--watch']],
    [['exec', 'demo.greet', '--keep=kept']],
    [['exec', 'demo.greet', '--secret', 'NAME']],
    [['exec', 'demo.greet', '--secrets-file', 'file']],
    [['exec', 'demo.greet', '--allow-network']],
    [['exec', 'demo.greet', '--backend', 'bubblewrap']],
    [['exec', 'demo.greet', '--require-isolation', 'strict']],
    [['exec', './skills/greet']],
    [['run-code', '--mount', './skills/greet', '--code', 'x = 1']],
    [['describe', './skills/greet']],
    [['list', '--root', 'skills']],
    [['list', '--config', 'some.toml']],
    [['blobs', 'ls']],
    [['blobs', 'rm', 'blob:1234']],
    [['blobs', 'gc']],
  ])('rejects local-only options: %j', async (argv) => {
    const { stdout, stderr, code } = await runSkills(argv, {
      env: { SKILLS_URL: 'http://127.0.0.1:9' },
    })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^error .*(remote|SKILLS_URL).*[^.]\n {2}→ .*unset SKILLS_URL\n$/)
  })

  it('reads its token from a file or a variable, and reports an invalid one', async () => {
    const tokens = parseTokens('0123456789abcdef alice\n', 'tokens.txt')
    const { url } = await startTestServer({ tree, tokens })
    const cwd = createFolder({
      'token.txt': '# mine\n0123456789abcdef alice read\n',
      'empty.txt': '\n',
    })
    const list = async (argv: readonly string[], env: Record<string, string> = {}) =>
      await runSkills(['list', '--url', url, ...argv], { cwd, env })
    expect((await list(['--token-file', 'token.txt'])).code).toBe(0)
    expect((await list([], { SKILLS_TOKEN: '0123456789abcdef' })).code).toBe(0)
    const none = await list([])
    expect(none.code).toBe(3)
    expect(none.stderr).toBe(
      'error A token is required\n  → Set SKILLS_TOKEN, or pass a token file with --token-file\n',
    )
    const unread = await runSkills(['describe', 'demo.greet@1.0.0', '--url', url], { cwd })
    expect(unread.stderr).toContain('error A token is required\n')
    const badToken = await list(['--json'], { SKILLS_TOKEN: 'wrong-token-of-mine' })
    expect(badToken.json()).toMatchObject({ error: { code: 'auth/required' } })
    expect(badToken.stdout + badToken.stderr).not.toContain('wrong-token-of-mine')
    for (const file of ['empty.txt', 'none.txt']) {
      expect((await list(['--token-file', file])).code).toBe(2)
    }
    expect((await runSkills(['list', '--token-file', 'token.txt'], { cwd })).code).toBe(2)
  })

  it.each([
    ['skills', 2, /"skills" is not a valid URL/],
    ['ftp://localhost', 2, /http or https/],
    ['http://me:pw@localhost', 2, /without a user name and password/],
    ['', 2, /Expected a URL/],
    ['http://127.0.0.1:9', 3, /its port, which belongs to another protocol/],
    ['http://127.0.0.1:65534', 3, /Cannot reach http:\/\/127\.0\.0\.1[\s\S]*skills serve/],
  ])('explains --url %j', async (url, exit, message) => {
    const { code, stderr } = await runSkills(['list', '--url', url])
    expect(code).toBe(exit)
    expect(stderr).toMatch(message)
    expect(stderr).not.toContain('pw')
  })

  it('explains a server that is not a Skills Runtime, and redirects', async () => {
    const page = await startRawServer(
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    )
    const html = await runSkills(['list', '--url', page.url])
    expect(html.code).toBe(3)
    expect(html.stderr).toContain(`"${page.url}" is not a Skills Runtime`)
    expect(html.stderr).toContain('"<html>"')
    const moved = await startRawServer(
      (_, response) => void response.writeHead(308, { location: 'https://example.org/rpc' }).end(),
    )
    const redirect = await runSkills(['list', '--url', moved.url])
    expect(redirect.code).toBe(3)
    expect(redirect.stderr).toContain('--url https://example.org/rpc')
  })

  it('reports a runtime that disconnects during a run, and keeps its logs', async () => {
    const { url } = await startRawServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const log = JSON.stringify({ stream: 'stdout', text: 'so far\n' })
      response.write(`event: log\ndata: ${log}\n\n`, () => response.destroy())
    })
    const { code, stdout, stderr } = await runSkills(['run-code', '--code', 'x = 1', '--url', url])
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toMatch(
      /^so far\nerror The connection broke before the response was complete\n {2}→ /,
    )
  })

  it('waits for a busy runtime', async () => {
    const done = { status: 'completed', run_id: 'run_1', summary: 'Done', output: 5 }
    const { url, requests } = await startRawServer((request, response, attempt) =>
      attempt === 1
        ? sendAnswer(
            request,
            response,
            { error: { code: -32003, message: 'Busy', data: { retry_after_ms: 5 } } },
            503,
          )
        : sendAnswer(request, response, { result: done }),
    )
    const { code, stdout } = await runSkills(['run-code', '--code', 'x = 1', '--url', url])
    expect({ code, stdout }).toEqual({ code: 0, stdout: '5\n' })
    expect(requests).toHaveLength(2)
  })

  it('works with a minimal runtime of the specification', async () => {
    const skill = {
      manifest: { name: 'a.b', version: '1.0.0', description: 'A skill.', kind: 'instruction' },
      skill_md_frontmatter: { name: 'B' },
    }
    const listed = { name: 'a.b', version: '1.0.0', description: 'A skill.' }
    const answers: Record<string, object> = {
      list_skills: { skills: [listed] },
      describe_skill: { skill },
      read_skill_file: { content: '# B\n' },
      create_blob: { blob_id: 'blob:small', size_bytes: 2 },
      read_blob: { content: 'ab', truncated: false, kind: 'text/plain' },
      run_code: {
        status: 'completed',
        run_id: 'run_1',
        summary: 'Done',
        output: 1,
        output_blobs: ['blob:../../made'],
        logs_preview: 'printed\n',
      },
    }
    const { url } = await startRawServer((request, response) => {
      if (request.path !== '/rpc') return void response.writeHead(404).end('not found')
      const { method } = JSON.parse(request.body) as { method: string }
      sendAnswer(request, response, { result: answers[method] })
    })
    const cwd = createFolder()
    const at = { cwd, env: { SKILLS_URL: url } }
    expect((await runSkills(['list', '--json'], at)).json()).toMatchObject({
      skills: [{ name: 'a.b', namespace: 'a', tags: [] }],
    })
    expect((await runSkills(['describe', 'a.b', '--full', '--json'], at)).json()).toMatchObject({
      skill: { name: 'a.b', title: 'B', versions: ['1.0.0'], skill_md: '# B\n' },
    })
    const ran = await runSkills(['run-code', '--code', 'x = 1', '--out', 'out'], at)
    expect(ran).toMatchObject({ code: 0, stdout: '1\n' })
    expect(ran.stderr).toMatch(/^printed\nSaved out\/______made\.txt \(text\/plain, 2 bytes\)\n$/)
    expect(readFileSync(join(cwd, 'out/______made.txt'), 'utf8')).toBe('ab')
    expect((await runSkills(['blobs', 'put', '-'], { ...at, stdin: 'ab' })).stdout).toBe(
      'blob:small\n',
    )
    expect((await runSkills(['blobs', 'get', 'small'], at)).stdout).toBe('ab')
  })

  it('cancels the remote run on Ctrl-C, with logs until then', { timeout: 120_000 }, async () => {
    const server = await startTestServer({ tree })
    const cwd = createFolder({
      'slow.py': 'import time\ndef main(args):\n  print("begun", flush=True)\n  time.sleep(600)\n',
    })
    const program = startProgram(['run-code', 'slow.py', '--url', server.url, '--json'], { cwd })
    await program.says('begun')
    program.signal('SIGINT')
    expect(await program.ended).toBe(130)
    const runs = await server.runtime.runs()
    await expect
      .poll(async () => (await runs.list({ limit: 1 })).runs[0]?.status, { timeout: 20_000 })
      .toBe('cancelled')
    expect(JSON.parse(program.stdout())).toMatchObject({ error: { code: 'run/cancelled' } })
  })
})
