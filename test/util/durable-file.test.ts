import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { syncFolder } from '../../src/util/durable-file.ts'
import { createFolder } from '../helpers/skills.ts'

describe('syncFolder()', () => {
  it('serves concurrent and later callers', async () => {
    const dir = createFolder()
    await Promise.all(Array.from({ length: 200 }, async () => await syncFolder(dir)))
    await syncFolder(dir)
  })

  it('rejects for all callers of a missing folder, and for no other', async () => {
    const [dir, missing] = [createFolder(), join(createFolder(), 'missing')]
    const syncs = [missing, dir, missing, missing, dir].map(async (path) => await syncFolder(path))
    const settled = await Promise.allSettled(syncs)
    expect(settled.map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ])
    await expect(syncFolder(missing)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
