// @module-tag slow
// @module-tag nightly
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { INHERITED_ENV } from '../helpers/inherited-env.ts'
import { createFolder } from '../helpers/skills.ts'
import { BIN, BUILT_MODULES } from '../helpers/built.ts'

const MIB = 1024 ** 2
const SIZE = 400 * MIB
/** Ten times what chunks in transfer need; all content would be twice as much. */
const MAX_GROWTH = 200 * MIB
const CLIENT = new URL('../../src/client/index.ts', import.meta.url).href

/** A runtime that counts and digests uploads, and stores nothing. */
async function startSink(status = 201): Promise<string> {
  const server = createServer((request, response) => {
    const hash = createHash('sha256')
    let size = 0
    request.on('data', (chunk: Buffer) => {
      hash.update(chunk)
      size += chunk.length
    })
    request.on('end', () => {
      const digest = `sha256:${hash.digest('hex')}`
      const stored = { blob_id: 'blob:a', kind: 'a/b', size_bytes: size, digest }
      response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' })
      response.end(JSON.stringify(stored))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Runs a program; returns its output and the largest memory that it had, in bytes. */
async function runMeasured(argv: string[], cwd: string) {
  const hook = `process.on('exit', () => process.stderr.write('\\n' + process.resourceUsage().maxRSS))`
  const options = [
    '--import',
    `data:text/javascript,${encodeURIComponent(hook)}`,
    '--import',
    BUILT_MODULES,
  ]
  const env = { ...INHERITED_ENV, HOME: cwd }
  const child = spawn(process.execPath, [...options, ...argv], { cwd, env })
  const text = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk) => (text[name] += String(chunk)))
  }
  const status = await new Promise((resolve) => child.on('close', resolve))
  return { ...text, status, memory: Number(text.stderr.split('\n').at(-1)) * 1024 }
}

const SCRIPT = `
  import { createClient } from ${JSON.stringify(CLIENT)}
  import { openAsBlob } from 'node:fs'
  const [url, kind, size] = process.argv.slice(2)
  async function* generate() {
    // Memory that is never written takes no space.
    for (let sent = 0; sent < Number(size); sent += ${MIB}) yield new Uint8Array(${MIB}).fill(1)
  }
  const sources = {
    iterable: async () => generate(),
    stream: async () => ReadableStream.from(generate()),
    blob: async () => await openAsBlob('large'),
  }
  const client = createClient({ url })
  const { size_bytes } = await client.uploadBlob(await sources[kind](), { kind: 'a/b' })
  console.log(size_bytes)`

function createUploadFolder(size: number): string {
  const dir = createFolder()
  writeFileSync(join(dir, 'upload.mjs'), SCRIPT)
  writeFileSync(join(dir, 'large'), '')
  // A sparse file of zeros.
  truncateSync(join(dir, 'large'), size)
  return dir
}

describe('an upload', () => {
  it.each(['iterable', 'stream', 'blob'])(
    'of the client holds no more than a part of the content in memory: %s',
    async (kind) => {
      const url = await startSink()
      const dir = createUploadFolder(SIZE)
      const upload = async (size: number) =>
        await runMeasured(['upload.mjs', url, kind, String(size)], dir)
      const large = await upload(SIZE)
      expect(large).toMatchObject({ status: 0, stdout: `${SIZE}\n` })
      truncateSync(join(dir, 'large'), MIB)
      const small = await upload(MIB)
      expect(small.stdout).toBe(`${MIB}\n`)
      expect(large.memory - small.memory).toBeLessThan(MAX_GROWTH)
    },
    120_000,
  )

  it('of the command line holds no more than a part of the content in memory', async () => {
    const url = await startSink()
    const put = async (size: number) =>
      await runMeasured([BIN, 'blobs', 'put', 'large', '--url', url], createUploadFolder(size))
    const large = await put(SIZE)
    expect(large).toMatchObject({ status: 0, stdout: 'blob:a\n' })
    expect(large.memory - (await put(MIB)).memory).toBeLessThan(MAX_GROWTH)
  }, 120_000)

  it('that is redirected is not sent elsewhere', async () => {
    const url = await startSink(307)
    const { status, stderr } = await runMeasured(
      ['upload.mjs', url, 'iterable', String(MIB)],
      createUploadFolder(0),
    )
    expect(status).toBe(1)
    expect(stderr).toContain('redirects to another address, which is not followed')
  })
})
