import { execFileSync } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { copyLinksAsLinks } from '../../src/util/files/copy-links-as-links.ts'
import { createFolder } from '../helpers/skills.ts'

const LINKS = {
  absolute: '/etc/passwd',
  outside: '../../../../../../etc/passwd',
  folder: '/etc',
  relative: 'file.txt',
  circle: '.',
  broken: 'nowhere',
}

it('links keep their targets, and pipes are left out', () => {
  const from = createFolder({ 'file.txt': 'x' })
  for (const [name, target] of Object.entries(LINKS)) symlinkSync(target, join(from, name))
  execFileSync('mkfifo', [join(from, 'pipe')])
  const to = join(createFolder(), 'copy')
  copyLinksAsLinks(from, to)
  expect(readdirSync(to).sort()).toEqual([...Object.keys(LINKS), 'file.txt'].sort())
  for (const [name, target] of Object.entries(LINKS)) {
    expect(readlinkSync(join(to, name))).toBe(target)
  }
})

it('a copy that follows links has the content of a file outside (control)', () => {
  const secret = createFolder({ 'secret.txt': 'outside' })
  const from = createFolder()
  symlinkSync(join(secret, 'secret.txt'), join(from, 'link'))
  const [kept, followed] = [join(createFolder(), 'a'), join(createFolder(), 'b')]
  copyLinksAsLinks(from, kept)
  execFileSync('cp', ['-rL', from, followed])
  expect(lstatSync(join(kept, 'link')).isSymbolicLink()).toBe(true)
  expect(lstatSync(join(followed, 'link')).isFile()).toBe(true)
  expect(readFileSync(join(followed, 'link'), 'utf8')).toBe('outside')
})
