import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openBlobStore } from '../../../src/core/storage/file-blob-store.ts'
import { createFolder } from '../../helpers/skills.ts'

function openStore() {
  const dir = createFolder()
  return { dir, store: openBlobStore(dir, { maxBlobBytes: 1000, quotaBytes: 1e6, ttlMs: 1e7 }) }
}

describe('the files of a blob', () => {
  it('are removed when it is aborted', async () => {
    const { dir, store } = openStore()
    const writer = await store.writer({ kind: 'text/plain' })
    await writer.write(Buffer.from('x'))
    await writer.abort()
    const own = ['.drafts', '.swept', '.usage']
    expect(readdirSync(dir).filter((name) => !own.includes(name))).toEqual([])
    expect(readdirSync(join(dir, '.drafts'))).toEqual([])
  })

  it('are readable for any user of a mount, for any umask', async () => {
    const before = process.umask(0o077)
    try {
      const { store } = openStore()
      const writer = await store.writer({ kind: 'a/b' })
      const { files, release } = await store.hold([(await writer.commit()).id])
      expect(files.map(({ localPath }) => statSync(localPath).mode & 0o777)).toEqual([0o444])
      await release()
    } finally {
      process.umask(before)
    }
  })

  it('are not returned if they were truncated', async () => {
    const { dir, store } = openStore()
    const writer = await store.writer({ kind: 'a/b' })
    await writer.write(Buffer.from('whole'))
    const { id } = await writer.commit()
    const file = join(dir, id.slice(5), 'content')
    chmodSync(file, 0o600)
    writeFileSync(file, 'who')
    await expect(store.read(id)).rejects.toMatchObject({ code: 'blob/damaged' })
    await expect(store.hold([id])).rejects.toMatchObject({ code: 'blob/damaged' })
  })
})
