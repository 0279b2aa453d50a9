// @module-tag slow
// @module-tag nightly
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createActionSkill } from '../helpers/projects.ts'
import { startServe, type Served } from '../helpers/served.ts'
import { createFolder, writeTree } from '../helpers/skills.ts'

const canLimit = process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0
const MESSAGE = 'The runtime has no free file descriptors; try again later'
const EXHAUSTED = {
  code: -32603,
  message: MESSAGE,
  data: { kind: 'host/exhausted', retry_after_ms: 1000 },
}
const code = { language: 'python', code: 'def main(args): return 1' }
const manifest = { version: '1.0.0', description: 'Is new.', kind: 'instruction' }

interface Answer {
  status: number
  retryAfter: string | undefined
  text: string
}

/** A client with one connection, which stays open. */
function createConnectedClient({ url }: Served) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const send = async (
    line: `${'GET' | 'POST' | 'PUT'} ${string}`,
    body = '',
    type = 'application/json',
  ) =>
    await new Promise<Answer>((resolve, reject) => {
      const [method, path] = line.split(' ')
      const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body) }
      const sent = request(`${url}${path}`, { method, agent, headers }, (response) => {
        let text = ''
        response.on('data', (chunk) => (text += String(chunk)))
        response.on('end', () => {
          const retryAfter = response.headers['retry-after']
          resolve({ status: response.statusCode ?? 0, retryAfter, text })
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  const call = async (method: string, params: object) => {
    const { text } = await send(
      'POST /rpc',
      JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    )
    return JSON.parse(text) as { result?: Record<string, unknown>; error?: object }
  }
  return { send, call }
}

async function startWithSkill(limits?: string) {
  const cwd = createFolder()
  writeTree(join(cwd, 'skills/greet'), createActionSkill('demo.greet'))
  return await startServe(['--no-watch'], { cwd, ...(limits !== undefined && { limits }) })
}

/** Sets the limit of open files of a running server. */
function limitDescriptors(served: Served, count: number): void {
  execFileSync('prlimit', ['--pid', String(served.process.pid), `--nofile=${count}:`])
}

describe.skipIf(!canLimit)('a server without free file descriptors (needs prlimit)', () => {
  it('says so in every answer, and serves all again when descriptors are free', async () => {
    const served = await startWithSkill()
    const { send, call } = createConnectedClient(served)
    const { result } = await call('create_blob', { content: 'x', kind: 'text/plain' })
    const blobId = String(result?.['blob_id'])
    let skills = 0
    const calls: [string, () => object][] = [
      ['describe_skill', () => ({ name: 'demo.greet' })],
      ['read_skill_file', () => ({ name: 'demo.greet', path: 'SKILL.md' })],
      ['execute_skill', () => ({ name: 'demo.greet' })],
      ['run_code', () => code],
      ['create_blob', () => ({ content: 'x', kind: 'text/plain' })],
      ['read_blob', () => ({ blob_id: blobId })],
      ['runtime.execute', () => ({ runtime: 'shell', code: 'echo 1' })],
      [
        'create_skill',
        () => ({ manifest: { ...manifest, name: `a.b${(skills += 1)}` }, skill_md: '# New' }),
      ],
    ]
    const expectService = async () => {
      for (const [method, makeParams] of calls) {
        expect([method, await call(method, makeParams())]).toMatchObject([method, { result: {} }])
      }
      expect((await send('PUT /blobs', 'x', 'text/plain')).status).toBe(201)
      expect(await send(`GET /blobs/${blobId}`)).toMatchObject({ status: 200, text: 'x' })
    }
    // The control: the calls succeed, and a new connection is accepted.
    await expectService()
    const limit = readdirSync(`/proc/${served.process.pid}/fd`).length
    expect(limit).toBeGreaterThan(10)
    limitDescriptors(served, 3)
    for (const [method, makeParams] of calls) {
      const answer = await call(method, makeParams())
      // The manifest of a pinned skill is in memory.
      const expected = method === 'describe_skill' ? { result: {} } : { error: EXHAUSTED }
      expect([method, answer]).toMatchObject([method, expected])
    }
    for (const answer of [
      await send('PUT /blobs', 'x', 'text/plain'),
      await send(`GET /blobs/${blobId}`),
    ]) {
      expect(answer).toMatchObject({ status: 503, retryAfter: '1' })
      expect(JSON.parse(answer.text)).toMatchObject({ error: { message: MESSAGE } })
    }
    const signal = AbortSignal.timeout(500)
    await expect(fetch(`${served.url}/healthz`, { signal })).rejects.toThrow()
    limitDescriptors(served, 4096)
    await expectService()
    expect((await fetch(`${served.url}/healthz`)).status).toBe(200)
  }, 120_000)

  it('is not made by a flood of connections', async () => {
    const limited = await startWithSkill('ulimit -n 300')
    const client = createConnectedClient(limited)
    expect(await client.call('list_skills', {})).toMatchObject({ result: {} })
    const sockets: Socket[] = []
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
    })
    const flood = () => {
      for (let at = 0; at < 400; at++) {
        const socket = connect(Number(new URL(limited.url).port), '127.0.0.1')
        sockets.push(socket.on('error', () => {}))
      }
    }
    flood()
    await vi.waitFor(() => expect(limited.stderr()).toContain('Connections are not accepted'))
    for (let round = 0; round < 3; round++) {
      flood()
      expect(await client.call('run_code', code)).toMatchObject({ result: { status: 'completed' } })
    }
    for (const socket of sockets) socket.destroy()
    await vi.waitFor(async () => expect((await fetch(`${limited.url}/healthz`)).status).toBe(200))
  }, 120_000)
})
