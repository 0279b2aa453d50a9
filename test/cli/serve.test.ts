// @module-tag slow
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { createCallers } from '../helpers/server.ts'
import { startServe } from '../helpers/served.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const tree = prefixPaths('skills/greet', createActionSkill('demo.greet'))
const TOKEN = 'a-token-of-some-length'

const runCode = (seconds: number) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'run_code',
  params: {
    language: 'python',
    code: `import time\ndef main(a):\n  time.sleep(${seconds})\n  return "done"`,
  },
})

/** Waits until a run has started. */
async function running(url: string, headers: Record<string, string> = {}): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    const text = await (await fetch(`${url}/metrics`, { headers })).text()
    if (text.includes('\nskills_sandboxes 1\n')) return
    await sleep(50)
  }
  throw new Error('no run began')
}

describe('skills serve', () => {
  it('prints one line of JSON when ready, and responds', async () => {
    const server = await startServe([], { cwd: createFolder(tree) })
    expect(server.ready).toMatchObject({
      schema: 'skills.serve/v1',
      skills: 1,
      auth: 'none',
      watch: false,
    })
    expect(server.ready['rpc']).toBe(`${server.url}/rpc`)
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(
      await createCallers(server.url).result('execute_skill', { name: 'demo.greet' }),
    ).toMatchObject({ status: 'completed' })
    const line = server.stderr().trim().split('\n').at(-1) ?? ''
    expect(JSON.parse(line)).toMatchObject({ message: 'execute_skill', code: 0 })
  })

  it('rejects new calls after SIGTERM, completes running ones and exits with 0', async () => {
    const server = await startServe(['--grace', '60s'], { cwd: createFolder(tree) })
    const requests = createCallers(server.url).post(runCode(1))
    await running(server.url)
    server.process.kill('SIGTERM')
    expect(await (await requests).json()).toMatchObject({ result: { output: 'done' } })
    expect(await server.ended).toBe(0)
  })

  it('loads its tokens again on SIGHUP, and answers running calls', async () => {
    const cwd = createFolder({ ...tree, 'tokens.txt': `${TOKEN} one read,run\n${TOKEN}2 two\n` })
    const server = await startServe(['--token-file', 'tokens.txt'], { cwd })
    const { post } = createCallers(server.url)
    const as = (token: string) => ({ authorization: `Bearer ${token}` })
    const response = post(runCode(3), as(TOKEN))
    await running(server.url, as(`${TOKEN}2`))
    writeFileSync(join(cwd, 'tokens.txt'), `${TOKEN}2 two\n`)
    server.process.kill('SIGHUP')
    await vi.waitFor(
      async () => {
        const call = { jsonrpc: '2.0', id: 1, method: 'list_skills' }
        expect((await post(call, as(TOKEN))).status).toBe(401)
        expect((await post(call, as(`${TOKEN}2`))).status).toBe(200)
      },
      { timeout: 20_000 },
    )
    expect(await (await response).json()).toMatchObject({ result: { output: 'done' } })
    server.process.kill('SIGTERM')
    expect(await server.ended).toBe(0)
  })

  it('loses no log line when stopped during many calls', async () => {
    const server = await startServe([], { cwd: createFolder(tree) })
    const { post } = createCallers(server.url)
    const requests = Array.from({ length: 300 }, async (_, id) => {
      await (await post({ jsonrpc: '2.0', id, method: 'list_skills' })).text()
    })
    await Promise.all(requests)
    server.process.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    const ids = () => [...server.stderr().matchAll(/"rpc_id":"(\d+)"/g)].map((each) => each[1])
    // Output written before the end may still be in the pipe.
    await vi.waitFor(() => expect(new Set(ids()).size).toBe(300))
    expect(ids()).toHaveLength(300)
  })

  it('ends runs that exceed the grace period, and still exits with 0', async () => {
    const server = await startServe(['--grace', '200ms'], { cwd: createFolder(tree) })
    const requests = createCallers(server.url)
      .post(runCode(600))
      .catch(() => undefined)
    await running(server.url)
    server.process.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    expect(await (await requests)?.json()).toMatchObject({
      error: { code: -32603, data: { kind: 'run/interrupted' } },
    })
  })

  it('ends immediately at the second Ctrl-C', async () => {
    const server = await startServe(['--grace', '10m'], { cwd: createFolder(tree) })
    createCallers(server.url)
      .post(runCode(600))
      .catch(() => {})
    await running(server.url)
    server.process.kill('SIGINT')
    await sleep(300)
    server.process.kill('SIGINT')
    expect(await server.ended).toBe(130)
  })

  it('restarts after SIGKILL with all acknowledged data', async () => {
    const cwd = createFolder(tree)
    const first = await startServe([], { cwd })
    const { post, result } = createCallers(first.url)
    const blob = await result('create_blob', { content: 'kept', kind: 'text/plain' })
    await result('create_skill', {
      manifest: { name: 'user.kept', version: '1.0.0', description: 'Kept.', kind: 'instruction' },
      skill_md: '# Kept\n',
    })
    post(runCode(600)).catch(() => {})
    await running(first.url)
    first.process.kill('SIGKILL')
    expect(await first.ended).toBe('SIGKILL')
    const second = await startServe([], { cwd })
    const again = createCallers(second.url)
    expect(await again.result('read_blob', { blob_id: blob['blob_id'] })).toMatchObject({
      content: 'kept',
    })
    expect(await again.result('describe_skill', { name: 'user.kept' })).toHaveProperty('skill')
    expect(await again.result('execute_skill', { name: 'demo.greet' })).toMatchObject({
      status: 'completed',
    })
  })

  it('reports a port in use in one sentence, with a hint', async () => {
    const cwd = createFolder(tree)
    const server = await startServe([], { cwd })
    const { port } = new URL(server.url)
    const { code, stderr, stdout } = await runSkills(['serve', '--port', port], { cwd })
    expect(code).toBe(3)
    expect(stdout).toBe('')
    expect(stderr).toBe(
      `error The port ${port} of 127.0.0.1 is in use\n  → Stop the program that listens there, or use any free port: skills serve --port 0\n`,
    )
  })

  it('reads tokens from a file or the environment, and passes none to a run', async () => {
    const cwd = createFolder({ ...tree, 'tokens.txt': `${TOKEN} alice\n` })
    const byFile = await startServe(['--token-file', 'tokens.txt'], { cwd })
    expect(byFile.ready['auth']).toBe('token')
    const headers = { authorization: `Bearer ${TOKEN}` }
    expect((await createCallers(byFile.url).post(runCode(0))).status).toBe(401)
    expect((await createCallers(byFile.url).post(runCode(0), headers)).status).toBe(200)
    const byVariable = await startServe([], {
      cwd,
      env: { SKILLS_TOKEN: TOKEN, SKILLS_RUN_ENVIRONMENT: 'SKILLS_TOKEN' },
    })
    const peek = {
      ...runCode(0),
      params: { language: 'python', code: 'import os\ndef main(a):\n  return dict(os.environ)' },
    }
    const text = await (await createCallers(byVariable.url).post(peek, headers)).text()
    expect(text).toContain('"status":"completed"')
    expect(text).not.toContain(TOKEN)
    expect(byFile.stderr() + byVariable.stderr()).not.toContain(TOKEN)
  })

  it.each([
    [['--port', '70000'], /Expected a port from 0 to 65535/],
    [['--port', 'http'], /got "http"/],
    [['--host', '0.0.0.0', '--port', '0'], /requires a token[\s\S]*--token-file/],
    [['--token-file', 'none.txt'], /Cannot read the token file "none.txt"/],
    [['--token-file', 'short.txt'], /at least 16/],
    [['--no-auth', '--token-file', 'good.txt'], /--no-auth cannot be combined/],
    [['--grace', 'soon'], /Expected a duration/],
    [['--allow-origin', '*', '--port', '0'], /not a valid web origin/],
    [['--log-format', 'xml'], /text, json/],
    [['--host', '203.0.113.1', '--no-auth', '--port', '0'], /Cannot listen on 203\.0\.113\.1/],
  ])('rejects %j', async (argv, message) => {
    const cwd = createFolder(tree)
    writeFileSync(join(cwd, 'short.txt'), 'short')
    writeFileSync(join(cwd, 'good.txt'), TOKEN)
    const { code, stderr, stdout } = await runSkills(['serve', ...argv], { cwd })
    expect(code).toBeGreaterThanOrEqual(2)
    expect(stderr).toMatch(message)
    expect(stdout).toBe('')
  })

  it('prints a message on a terminal, and stops on a signal', async () => {
    const stop = new AbortController()
    const done = runSkills(['serve', '--port', '0'], {
      cwd: createFolder(tree),
      tty: true,
      env: { NO_COLOR: '1' },
      signal: stop.signal,
    })
    setTimeout(() => stop.abort(), 100)
    const { code, stdout, stderr } = await done
    expect(code).toBe(0)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/Serving 1 skill on http:\/\/127\.0\.0\.1:\d+\/rpc/)
    for (const each of ['namespaces', 'without a token', 'reloaded immediately', 'Ctrl-C'])
      expect(stderr).toContain(each)
  })
})
