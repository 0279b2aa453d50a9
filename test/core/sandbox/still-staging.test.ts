// @module-tag isolated
import * as fs from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { copySkill } from '../../../src/core/sandbox/rootfs/stage-files.ts'
import * as folders from '../../../src/util/still-folders.ts'
import { createFolder } from '../../helpers/skills.ts'

vi.mock('node:fs', async (load) => {
  const real = await load<typeof fs>()
  return { ...real, openSync: vi.fn(real.openSync) }
})
vi.mock('../../../src/util/still-folders.ts', async (load) => {
  const real = await load<typeof folders>()
  return { ...real, canResolveDescriptors: () => false, captureFolders: vi.fn(real.captureFolders) }
})

const real = await vi.importActual<typeof fs>('node:fs')
const { captureFolders } = await vi.importActual<typeof folders>(
  '../../../src/util/still-folders.ts',
)

/** Replaces a folder of a skill by a symlink for exactly the time in which a file is opened. */
function prepareAttack(): { skill: string; copy: string } {
  const dir = createFolder({
    'skill/SKILL.md': 'x',
    'skill/docs/a.md': 'inside',
    'secrets/a.md': 'SECRET',
  })
  const [inside, outside] = [join(dir, 'skill/docs'), join(dir, 'secrets')]
  vi.mocked(fs.openSync).mockImplementation((path, ...rest) => {
    if (!String(path).endsWith('docs/a.md')) return real.openSync(path, ...rest)
    fs.renameSync(inside, `${inside}.moved`)
    fs.symlinkSync(outside, inside)
    const fd = real.openSync(path, ...rest)
    fs.unlinkSync(inside)
    fs.renameSync(`${inside}.moved`, inside)
    return fd
  })
  return { skill: join(dir, 'skill'), copy: join(dir, 'copy') }
}

beforeEach(() => {
  vi.mocked(fs.openSync).mockImplementation(real.openSync)
  vi.mocked(folders.captureFolders).mockImplementation(captureFolders)
})

it('a skill is copied where the kernel does not report the path of an open file', () => {
  const dir = createFolder({ 'skill/SKILL.md': 'x', 'skill/docs/a.md': 'inside' })
  copySkill(join(dir, 'skill'), join(dir, 'copy'))
  expect(fs.readFileSync(join(dir, 'copy/docs/a.md'), 'utf8')).toBe('inside')
})

it('a copy of a skill never contains a file from outside that replaced its own for a moment', () => {
  const { skill, copy } = prepareAttack()
  expect(() => copySkill(skill, copy)).toThrow('changed while it was being read')
})

it('a copy of a skill would contain that file without the check of its folders (control)', () => {
  const { skill, copy } = prepareAttack()
  vi.mocked(folders.captureFolders).mockReturnValue({ text: '', settleMs: 0 })
  copySkill(skill, copy)
  expect(fs.readFileSync(join(copy, 'docs/a.md'), 'utf8')).toBe('SECRET')
})
