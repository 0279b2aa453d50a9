import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { measureFolder } from '../../../src/core/sandbox/rootfs/measure-folder.ts'
import { UnlockedFolder } from '../../../src/core/sandbox/rootfs/unlocked-folder.ts'

const EVERYTHING = { bytes: Infinity, entries: Infinity }
const NOBODY = 65_534
const isRoot = process.geteuid?.() === 0
let dir = ''

/** Root can read every folder; only another user finds folders locked. */
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skills-measured-'))
  if (!isRoot) return
  chownSync(dir, NOBODY, NOBODY)
  process.seteuid?.(NOBODY)
})

afterEach(() => {
  if (isRoot) process.seteuid?.(0)
  else unlock(dir)
  rmSync(dir, { recursive: true })
})

function unlock(path: string) {
  chmodSync(path, 0o700)
  for (const each of readdirSync(path, { withFileTypes: true })) {
    if (each.isDirectory()) unlock(join(path, each.name))
  }
}

function folder(name: string): string {
  const path = join(dir, name)
  mkdirSync(path)
  return path
}

describe('the measured size of a folder', () => {
  it.each([0, 0o300, 0o400, 0o500, 0o077])(
    'includes a subfolder that its owner has locked with %o, which stays locked',
    async (mode) => {
      const outer = folder('outer')
      const inner = folder('outer/inner')
      writeFileSync(join(inner, 'file'), Buffer.alloc(100_000, 1))
      const before = await measureFolder(dir, EVERYTHING)
      expect(before.entries).toBe(3)
      expect(before.bytes).toBeGreaterThanOrEqual(100_000)
      chmodSync(inner, mode)
      chmodSync(outer, mode)
      expect(await measureFolder(dir, EVERYTHING)).toEqual(before)
      expect(statSync(outer).mode & 0o777).toBe(mode)
    },
  )

  it('is zero if the folder does not exist', async () => {
    expect(await measureFolder(join(dir, 'gone'), EVERYTHING)).toEqual({ bytes: 0, entries: 0 })
  })
})

describe('a folder that is locked during its measurement', () => {
  function lockedAt(isLockedAt: (look: number) => boolean) {
    const path = folder('locked')
    const unlocked = new UnlockedFolder(openSync(path, 'r'))
    let looks = 0
    const look = () =>
      unlocked.accessEntry(Buffer.alloc(0), (itself) => {
        looks += 1
        if (isLockedAt(looks)) chmodSync(path, 0)
        return readdirSync(itself)
      })
    return { look, path, unlocked }
  }

  it('is unlocked for the access and gets its mode back', () => {
    const { look, path, unlocked } = lockedAt((at) => at === 1)
    expect(look()).toEqual([])
    unlocked.close()
    expect(statSync(path).mode & 0o777).toBe(0)
  })

  it('throws if it is locked again and again', () => {
    const { look, unlocked } = lockedAt(() => true)
    expect(look).toThrow('EACCES')
    unlocked.close()
  })

  it('keeps the mode that it got meanwhile, and its descriptor is closed', () => {
    const path = folder('locked')
    const fd = openSync(path, 'r')
    chmodSync(path, 0)
    const unlocked = new UnlockedFolder(fd)
    expect(unlocked.accessEntry(Buffer.alloc(0), (itself) => readdirSync(itself))).toEqual([])
    chmodSync(path, 0o750)
    unlocked.close()
    expect(statSync(path).mode & 0o777).toBe(0o750)
    expect(() => closeSync(fd)).toThrow('EBADF')
  })
})
