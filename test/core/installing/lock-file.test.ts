import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  formatLockFile,
  readLockFile,
  type LockedSkill,
} from '../../../src/core/installing/lock-file.ts'
import { digestContent } from '../../../src/core/skills/content/content-manifest.ts'
import { createFolder } from '../../helpers/skills.ts'

function createEntry(name: string): LockedSkill {
  const tree = digestContent([])
  return {
    name,
    version: '1.0.0',
    source: './a',
    resolved: './a',
    archive: null,
    folder: name,
    tree,
    files: [],
    capabilities: [],
    signers: [],
    approved: { tree, capabilities: '0'.repeat(64), by: 'yes' },
  }
}

it('a lock that did not change is parsed once, and a changed one again', () => {
  const lock = join(createFolder(), 'skills.lock')
  writeFileSync(lock, formatLockFile([createEntry('one')]))
  const [first] = readLockFile(lock)
  expect(readLockFile(lock)[0]).toBe(first)
  // A caller that changes its list changes no other one.
  readLockFile(lock).pop()
  expect(readLockFile(lock)).toHaveLength(1)
  writeFileSync(lock, formatLockFile([createEntry('two')]))
  expect(readLockFile(lock)).toMatchObject([{ name: 'two' }])
  writeFileSync(lock, '{')
  expect(() => readLockFile(lock)).toThrow('it is not JSON')
})

it('a lock has thousands of skills, and each name once', () => {
  const lock = join(createFolder(), 'skills.lock')
  const entries = Array.from({ length: 2000 }, (_, at) => createEntry(`s${at}`))
  writeFileSync(lock, formatLockFile(entries))
  expect(readLockFile(lock)).toHaveLength(2000)
  writeFileSync(lock, formatLockFile([...entries, createEntry('s7')]))
  expect(() => readLockFile(lock)).toThrow('the name "s7" is there twice')
})
