import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openBlobStore } from '../../../src/core/storage/file-blob-store.ts'
import { folder } from '../../helpers/skills.ts'

function open(maxBlobBytes = 1000) {
  const dir = folder()
  const limits = { maxBlobBytes, quotaBytes: 1e6, ttlMs: 3_600_000 }
  return { dir, store: openBlobStore(dir, limits), seen: () => visible(dir) }
}

/** What lies in the folder, but for what the store keeps for itself. */
function visible(dir: string): string[] {
  const own = ['.drafts', '.swept', '.usage']
  return readdirSync(dir).filter((name) => !own.includes(name))
}

describe('a blob', () => {
  it('is seen by nobody before it is whole', async () => {
    const { store, seen } = open()
    const writer = await store.writer({ kind: 'text/plain' })
    await writer.write(Buffer.from('half'))
    await expect(store.info(writer.id)).rejects.toMatchObject({ code: 'blob/not-found' })
    await writer.write(Buffer.from(' and half'))
    const info = await writer.commit()
    expect(info).toMatchObject({ kind: 'text/plain', size: 13 })
    expect(await store.info(info.id)).toEqual(info)
    expect(readFileSync(await store.file(info.id), 'utf8')).toBe('half and half')
    expect(seen()).toEqual([info.id.slice(5)])
  })

  it('leaves nothing when it is given up', async () => {
    const { dir, store, seen } = open()
    const writer = await store.writer({ kind: 'text/plain' })
    await writer.write(Buffer.from('x'))
    await writer.abort()
    expect(seen()).toEqual([])
    expect(readdirSync(join(dir, '.drafts'))).toEqual([])
  })

  it('may not be larger than is allowed', async () => {
    const { store } = open(10)
    const writer = await store.writer({ kind: 'text/plain' })
    await writer.write(Buffer.alloc(10))
    await expect(writer.write(Buffer.alloc(1))).rejects.toMatchObject({ code: 'blob/too-large' })
    await writer.abort()
  })

  it('never replaces another', async () => {
    const { store, seen } = open()
    const id = `blob:${'a'.repeat(32)}`
    const [first, second] = [
      await store.writer({ kind: 'a/b', id }),
      await store.writer({ kind: 'a/b', id }),
    ]
    await first.write(Buffer.from('first'))
    await first.commit()
    await expect(second.commit()).rejects.toThrow()
    expect(readFileSync(await store.file(id), 'utf8')).toBe('first')
    expect(seen()).toHaveLength(1)
  })

  it('can be read by any user that it is given to, whatever the umask', async () => {
    const before = process.umask(0o077)
    try {
      const { store } = open()
      const writer = await store.writer({ kind: 'a/b' })
      const { id } = await writer.commit()
      expect(statSync(await store.file(id)).mode & 0o777).toBe(0o444)
    } finally {
      process.umask(before)
    }
  })

  it('that was cut is not given out', async () => {
    const { dir, store } = open()
    const writer = await store.writer({ kind: 'a/b' })
    await writer.write(Buffer.from('whole'))
    const { id } = await writer.commit()
    const file = join(dir, id.slice(5), 'content')
    chmodSync(file, 0o600)
    writeFileSync(file, 'who')
    await expect(store.file(id)).rejects.toMatchObject({ code: 'blob/not-found' })
  })

  it.each(['', 'blob:', 'blob:../../etc/passwd', `blob:${'A'.repeat(32)}`, 'a'.repeat(32)])(
    'has no id like "%s"',
    async (id) => {
      const { store } = open()
      await expect(store.file(id)).rejects.toMatchObject({ code: 'blob/not-found' })
    },
  )
})
