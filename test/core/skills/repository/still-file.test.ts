// @module-tag isolated
import * as fs from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { readContainedFile } from '../../../../src/core/skills/repository/contained-file.ts'
import * as folders from '../../../../src/util/still-folders.ts'
import { createFolder } from '../../../helpers/skills.ts'

vi.mock('node:fs', async (load) => {
  const real = await load<typeof fs>()
  return { ...real, openSync: vi.fn(real.openSync) }
})
vi.mock('../../../../src/util/still-folders.ts', async (load) => {
  const real = await load<typeof folders>()
  return { ...real, canResolveDescriptors: () => false, captureFolders: vi.fn(real.captureFolders) }
})

const { openSync, renameSync, symlinkSync, unlinkSync } =
  await vi.importActual<typeof fs>('node:fs')
const { captureFolders } = await vi.importActual<typeof folders>(
  '../../../../src/util/still-folders.ts',
)

function createSkill(): { dir: string; inside: string; outside: string } {
  const dir = createFolder({ 'skill/docs/a.md': 'inside', 'secrets/a.md': 'SECRET' })
  return { dir: join(dir, 'skill'), inside: join(dir, 'skill/docs'), outside: join(dir, 'secrets') }
}

/** Replaces the file's folder by a symlink for exactly the time in which the file is opened. */
function swapWhileOpened({ inside, outside }: ReturnType<typeof createSkill>, times: number): void {
  let left = times
  vi.mocked(fs.openSync).mockImplementation((...args) => {
    if (left-- <= 0) return openSync(...args)
    renameSync(inside, `${inside}.moved`)
    symlinkSync(outside, inside)
    const file = openSync(...args)
    unlinkSync(inside)
    renameSync(`${inside}.moved`, inside)
    return file
  })
}

describe('a file of a skill, where the kernel does not report the path of an open file', () => {
  beforeEach(() => {
    vi.mocked(fs.openSync).mockImplementation(openSync)
    vi.mocked(folders.captureFolders).mockImplementation(captureFolders)
  })

  it('is read', async () => {
    const bytes = await readContainedFile(createSkill().dir, 'docs/a.md')
    expect(Buffer.from(bytes).toString()).toBe('inside')
  })

  it('is never read through a symlink that replaces its folder for a moment', async () => {
    const skill = createSkill()
    swapWhileOpened(skill, Infinity)
    await expect(readContainedFile(skill.dir, 'docs/a.md')).rejects.toMatchObject({
      code: 'file/unreadable',
      message: 'The folder of "docs/a.md" changes while it is read',
    })
  })

  it('is read once its folder no longer changes', async () => {
    const skill = createSkill()
    swapWhileOpened(skill, 2)
    expect(Buffer.from(await readContainedFile(skill.dir, 'docs/a.md')).toString()).toBe('inside')
  })

  it('would be read from outside without the stamps (control)', async () => {
    const skill = createSkill()
    swapWhileOpened(skill, Infinity)
    vi.mocked(folders.captureFolders).mockReturnValue({ text: '', settleMs: 0 })
    expect(Buffer.from(await readContainedFile(skill.dir, 'docs/a.md')).toString()).toBe('SECRET')
  })
})
