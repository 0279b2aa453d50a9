// @module-tag slow
// @module-tag nightly
import { connect } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { writeBlob } from '../../src/core/storage/write-blob.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'

const NOTES = 10_000
const tree = prefixPaths('skills/greet', createActionSkill('demo.greet'))
const note = (method: string, params: object = {}) => ({ jsonrpc: '2.0', method, params })

async function readCounter(server: TestServer, name: string): Promise<number> {
  const text = await (await server.fetch('/metrics')).text()
  const lines = text.split('\n').filter((line) => new RegExp(`^${name}[{ ]`).test(line))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

/** Sends text on one connection and returns everything that is received. */
async function sendAll(server: TestServer, text: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    const parts: string[] = []
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => void parts.push(String(chunk)))
    socket.on('error', reject)
    socket.on('close', () => resolve(parts.join('')))
  })
}

describe('ten thousand notifications', () => {
  it('start no more runs than the limit', async () => {
    const settings = { 'run.max_concurrent': 1, 'run.max_waiting': 2 }
    const server = await startTestServer({ tree, settings })
    const batch = JSON.stringify(
      Array.from({ length: 100 }, () => note('execute_skill', { name: 'demo.greet' })),
    )
    const posts = Array.from({ length: NOTES / 100 }, async () => (await server.post(batch)).status)
    expect(new Set(await Promise.all(posts))).toEqual(new Set([204]))
    const refused = await readCounter(server, 'skills_runs_refused_total')
    const ran = await readCounter(server, 'skills_runs_total')
    expect(refused + ran).toBe(NOTES)
    expect(ran).toBeGreaterThan(0)
    expect(ran).toBeLessThan(NOTES / 10)
    expect(await readCounter(server, 'skills_runs_waiting')).toBe(0)
    expect(await server.result('execute_skill', { name: 'demo.greet' })).toMatchObject({
      status: 'completed',
    })
  }, 120_000)

  it('that are pipelined each get an empty response', async () => {
    const server = await startTestServer({ tree })
    const body = JSON.stringify(note('list_skills'))
    const one = (more = '') =>
      `POST /rpc HTTP/1.1\r\nHost: localhost\r\n${more}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const text = await sendAll(server, one().repeat(NOTES - 1) + one('Connection: close\r\n'))
    expect(text.split('HTTP/1.1 204 No Content').length - 1).toBe(NOTES)
    expect(text).not.toContain('jsonrpc')
    expect(await readCounter(server, 'skills_rpc_calls_total')).toBe(NOTES)
  }, 120_000)
})

describe('a large blob', () => {
  it('is never held in memory, however slowly the client reads', async () => {
    const server = await startTestServer()
    const store = await server.runtime.blobs()
    const mib = 1024 ** 2
    const pieces = Array<Buffer>(256).fill(Buffer.alloc(mib, 'x'))
    const { id } = await writeBlob(store, pieces, 'text/plain')
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    const inUse = () => process.memoryUsage().arrayBuffers
    const heldBytes: number[] = []
    let got = 0
    socket.on('data', (chunk) => void (got += chunk.length))
    socket.write(`GET /blobs/${id} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    const start = inUse()
    for (let round = 1; round <= 10; round++) {
      socket.resume()
      const enough = () => expect(got).toBeGreaterThanOrEqual(round * 2 * mib)
      await vi.waitFor(enough, { timeout: 20_000, interval: 5 })
      socket.pause()
      await new Promise((resolve) => setTimeout(resolve, 50))
      heldBytes.push(inUse() - start)
    }
    socket.destroy()
    expect(Math.max(...heldBytes)).toBeLessThan(64 * mib)
  }, 60_000)
})
