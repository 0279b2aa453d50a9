import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { openBlobStore } from '../../../src/core/storage/file-blob-store.ts'
import { createFolder } from '../../helpers/skills.ts'
import { killWriters } from './kill-writers.ts'

const LIMITS = { maxBlobBytes: 1e9, quotaBytes: 1e12, ttlMs: 1e9 }

function listVisible(dir: string): string[] {
  return readdirSync(dir).filter((name) => /^[0-9a-f]{32}$/.test(name))
}

/** Ids of visible blobs that are incomplete. */
async function listIncomplete(dir: string): Promise<string[]> {
  const store = openBlobStore(dir, LIMITS)
  const found: string[] = []
  for (const name of listVisible(dir)) {
    const info = await store.info(`blob:${name}`).catch(() => undefined)
    if (!info) found.push(name)
  }
  return found
}

describe('blob writers killed at a random moment', () => {
  it('lose no acknowledged blob, show no incomplete one, and leave no files', async () => {
    const dir = createFolder()
    for (let round = 0; round < 2; round++) {
      const acknowledged = await killWriters('blobs', dir, 3)
      expect(acknowledged.size).toBeGreaterThan(0)
      const store = openBlobStore(dir, LIMITS)
      for (const [id, digest] of acknowledged) {
        expect((await store.info(id)).digest).toBe(`sha256:${digest}`)
        const content = await buffer(await store.read(id))
        expect(createHash('sha256').update(content).digest('hex')).toBe(digest)
      }
      expect(await listIncomplete(dir)).toEqual([])
      // The next start removes leftovers.
      const writer = await store.writer({ kind: 'a/b' })
      expect(readdirSync(join(dir, '.drafts'))).toHaveLength(1)
      await writer.abort()
      expect(readdirSync(join(dir, '.drafts'))).toEqual([])
      const { kept, leftovers } = await store.collect()
      expect(leftovers).toBe(0)
      expect(kept.count).toBe(listVisible(dir).length)
    }
  })

  it(
    'leave incomplete blobs if the name is written before the content (control)',
    { tags: ['slow'] },
    async () => {
      const dir = createFolder()
      for (let round = 0; round < 10 && (await listIncomplete(dir)).length === 0; round++) {
        await killWriters('naive blobs', dir, 3)
      }
      expect((await listIncomplete(dir)).length).toBeGreaterThan(0)
    },
  )
})
