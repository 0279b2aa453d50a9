import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { findMethod } from '../../helpers/method.ts'
import type { SkillsError } from '../../../src/errors.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createRuntimeIn } from '../runs/run-warm.ts'

async function storeBlob(content: string, kind = 'text/plain') {
  const runtime = await createRuntimeIn(createFolder())
  const { blob_id } = await runtime.createBlob({ content, kind })
  return { runtime, blob_id }
}

describe('create_blob', () => {
  it('returns an id of 128 random bits and the size in bytes', async () => {
    const runtime = await createRuntimeIn(createFolder())
    const first = await runtime.createBlob({ content: 'é', kind: 'text/plain' })
    expect(first).toEqual({ blob_id: expect.stringMatching(/^blob:[0-9a-f]{32}$/), size_bytes: 2 })
    const second = await runtime.createBlob({ content: 'é', kind: 'text/plain' })
    expect(second.blob_id).not.toBe(first.blob_id)
  })

  it.each(['', 'a\u0000b', '\ufeffmark', '😀 ünïcödé\r\n', '{"__proto__":1}'])(
    'stores %j unchanged',
    async (content) => {
      const { runtime, blob_id } = await storeBlob(content, 'text/plain; charset="utf-8"')
      expect(await runtime.readBlob({ blob_id, mode: 'full' })).toEqual({
        content,
        truncated: false,
        kind: 'text/plain; charset="utf-8"',
        size_bytes: Buffer.byteLength(content),
      })
    },
  )

  it('stores bytes sent as base64 and returns them as base64', async () => {
    const runtime = await createRuntimeIn(createFolder())
    const bytes = Buffer.concat([randomBytes(300), Buffer.from([0xff, 0xfe])])
    const content = bytes.toString('base64')
    const made = await runtime.createBlob({ content, kind: 'a/b', encoding: 'base64' })
    expect(made.size_bytes).toBe(302)
    const read = await runtime.readBlob({ blob_id: made.blob_id, mode: 'full' })
    expect(read).toMatchObject({ content, encoding: 'base64', truncated: false })
  })

  it.each([
    ['kind', { kind: 'plain' }],
    ['kind', { kind: 'a/b\r\nx: y' }],
    ['kind', { kind: '' }],
    ['content', { content: 'no base64!', encoding: 'base64' as const }],
    ['content', { content: 'abcde', encoding: 'base64' as const }],
    ['content', { content: 'half \ud83d' }],
    ['encoding', { encoding: 'hex' as never }],
  ])('rejects an invalid %s: %j', async (param, change) => {
    const runtime = await createRuntimeIn(createFolder())
    const call = runtime.createBlob({ content: 'x', kind: 'text/plain', ...change })
    await expect(call).rejects.toMatchObject({ code: 'params/invalid', data: { param } })
  })

  it('names the limit that was exceeded', async () => {
    const settings = { 'store.quota': 20 }
    const runtime = await createRuntimeIn(createFolder(), settings)
    const put = async (size: number) =>
      await runtime.createBlob({ content: 'x'.repeat(size), kind: 'a/b' })
    await expect(put(11)).rejects.toMatchObject({
      code: 'blob/too-large',
      outcome: { rpc: -32004 },
    })
    await put(10)
    await put(5)
    await expect(put(6)).rejects.toMatchObject({ code: 'blob/quota', outcome: { rpc: -32004 } })
    await put(5)
  })

  it('has the definition of the protocol', () => {
    const { name, params } = findMethod('create_blob')
    expect(name).toBe('create_blob')
    expect(params.safeParse({ content: 'x' }).success).toBe(false)
    expect(params.safeParse({ content: 'x', kind: 'a/b', more: 1 }).success).toBe(false)
  })
})

describe('read_blob', () => {
  it('returns the first 2,000 bytes by default', async () => {
    const { runtime, blob_id } = await storeBlob('x'.repeat(2001))
    const read = await runtime.readBlob({ blob_id })
    expect(read).toMatchObject({ content: 'x'.repeat(2000), truncated: true, size_bytes: 2001 })
  })

  it('never cuts a character, and reports exactly whether something is missing', async () => {
    const text = 'aé€😀'.repeat(5)
    const size = Buffer.byteLength(text)
    const { runtime, blob_id } = await storeBlob(text)
    for (let max_bytes = 1; max_bytes <= size + 2; max_bytes++) {
      const head = await runtime.readBlob({ blob_id, max_bytes })
      const tail = await runtime.readBlob({ blob_id, max_bytes, mode: 'sample_tail' })
      expect(text.startsWith(head.content)).toBe(true)
      expect(text.endsWith(tail.content)).toBe(true)
      for (const { content, truncated, encoding } of [head, tail]) {
        const taken = Buffer.byteLength(content)
        expect(encoding).toBeUndefined()
        expect(taken).toBeLessThanOrEqual(max_bytes)
        expect(taken).toBeGreaterThan(Math.min(max_bytes, size) - 4)
        expect(truncated).toBe(taken < size)
      }
    }
  })

  it('returns a sample of bytes as base64, with exactly the requested size', async () => {
    const bytes = Buffer.concat([Buffer.from('text'), Buffer.from([0x80, 0x80, 0xc3])])
    const { runtime } = await storeBlob('')
    const { blob_id } = await runtime.createBlob({
      content: bytes.toString('base64'),
      kind: 'a/b',
      encoding: 'base64',
    })
    const tail = await runtime.readBlob({ blob_id, mode: 'sample_tail', max_bytes: 3 })
    expect(tail).toMatchObject({ encoding: 'base64', content: 'gIDD', truncated: true })
    const head = await runtime.readBlob({ blob_id, max_bytes: 4 })
    expect(head).toMatchObject({ content: 'text', truncated: true })
  })

  it.each([
    [10, 10],
    [1999, 1999],
    [2000, 5000],
    [2001, 2001],
    [6000, 5000],
  ])(
    'returns in mode "full" with max_bytes %i at most %i bytes of 5000',
    async (max_bytes, count) => {
      const { runtime, blob_id } = await storeBlob('x'.repeat(5000))
      const read = await runtime.readBlob({ blob_id, mode: 'full', max_bytes })
      expect(read.content).toHaveLength(count)
      expect(read).toMatchObject({ truncated: count < 5000, size_bytes: 5000 })
    },
  )

  it('returns all of a 1 MiB blob in mode "full", and rejects a larger one', async () => {
    const { runtime, blob_id } = await storeBlob('x'.repeat(1024 ** 2))
    const whole = await runtime.readBlob({ blob_id, mode: 'full' })
    expect(whole).toMatchObject({ truncated: false, size_bytes: 1024 ** 2 })
    expect(whole.content).toHaveLength(1024 ** 2)
    const larger = await runtime.createBlob({ content: 'x'.repeat(1024 ** 2 + 1), kind: 'a/b' })
    const call = runtime.readBlob({ blob_id: larger.blob_id, mode: 'full' })
    const error = (await call.catch((thrown: unknown) => thrown)) as SkillsError
    expect(error).toMatchObject({ code: 'blob/too-large', data: { size_bytes: 1024 ** 2 + 1 } })
    expect(error.outcome.rpc).toBe(-32004)
    const sample = await runtime.readBlob({ blob_id: larger.blob_id, max_bytes: 10 ** 9 })
    expect(sample).toMatchObject({ truncated: true })
    expect(sample.content).toHaveLength(1024 ** 2)
  })

  it.each(['blob:nope', '../../etc/passwd', '', `blob:${'a'.repeat(32)}`])(
    'finds no blob "%s"',
    async (blob_id) => {
      const { runtime } = await storeBlob('x')
      const call = runtime.readBlob({ blob_id })
      await expect(call).rejects.toMatchObject({ code: 'blob/not-found' })
    },
  )

  it.each([
    ['mode', { mode: 'middle' as never }],
    ['max_bytes', { max_bytes: 0 }],
    ['max_bytes', { max_bytes: 1.5 }],
  ])('rejects an invalid %s: %j', async (param, change) => {
    const { runtime, blob_id } = await storeBlob('x')
    const call = runtime.readBlob({ blob_id, ...change })
    await expect(call).rejects.toMatchObject({ code: 'params/invalid', data: { param } })
  })

  it('has the definition of the protocol', () => {
    expect(findMethod('read_blob').params.parse({ blob_id: 'x' })).toEqual({
      blob_id: 'x',
      mode: 'sample_head',
      max_bytes: 2000,
    })
  })
})
