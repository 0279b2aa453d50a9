import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { saveBlobs } from '../../../src/core/runs/protocol/save-blobs.ts'
import { createFolder } from '../../helpers/skills.ts'

const ID = `blob:${'a'.repeat(32)}`
const FILE = `${'a'.repeat(32)}.txt`

function createBlobReader(read: () => Promise<Readable>) {
  return { info: async () => ({ kind: 'text/plain' }), read }
}

describe('saveBlobs()', () => {
  it('keeps an existing file, however long the blob takes to arrive', async () => {
    const cwd = createFolder({ [FILE]: 'mine' })
    const slow = createBlobReader(async () => {
      await sleep(50)
      return Readable.from(['theirs'])
    })
    const saving = saveBlobs(slow, [ID], { cwd, dir: '.' })
    await expect(saving).rejects.toMatchObject({ code: 'store/unavailable' })
    expect(readFileSync(join(cwd, FILE), 'utf8')).toBe('mine')
  })

  it('removes an incomplete file', async () => {
    const cwd = createFolder()
    const broken = createBlobReader(async () => {
      return Readable.from(
        (function* () {
          yield 'half'
          throw new Error('lost')
        })(),
      )
    })
    const saving = saveBlobs(broken, [ID], { cwd, dir: '.' })
    await expect(saving).rejects.toMatchObject({ code: 'store/unavailable' })
    expect(existsSync(join(cwd, FILE))).toBe(false)
  })

  it('names the file of a remote id without folders', async () => {
    const cwd = createFolder()
    const whole = createBlobReader(async () => Readable.from(['x']))
    expect(await saveBlobs(whole, ['blob:../../x'], { cwd, dir: '.' })).toEqual(['______x.txt'])
  })
})
