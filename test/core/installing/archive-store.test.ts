import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openArchiveStore } from '../../../src/core/installing/pending/archive-store.ts'
import { createFolder } from '../../helpers/skills.ts'

const TREE = `sha256:${'a'.repeat(64)}`
const FACTS = {
  archiveDigest: 'sha256:b',
  otherDigests: ['sha512:c'],
  packageUrl: 'pkg:npm/x@1.0.0',
}

it('an archive is found by the digest of its files only', async () => {
  const folder = join(createFolder(), 'archives')
  const store = openArchiveStore(folder)
  expect(store.find(TREE)).toBeUndefined()
  await store.add(TREE, FACTS)
  await store.add(TREE.replace('a', 'd'), { archiveDigest: undefined })
  expect(openArchiveStore(folder).find(TREE)).toEqual(FACTS)
  expect(store.find(`sha256:${'0'.repeat(64)}`)).toBeUndefined()
})

it('an archive in a folder that others can write to counts for nothing, and none is added', async () => {
  const folder = join(createFolder(), 'archives')
  const store = openArchiveStore(folder)
  await store.add(TREE, FACTS)
  chmodSync(folder, 0o777)
  expect(store.find(TREE)).toBeUndefined()
  await expect(store.add(TREE, FACTS)).rejects.toMatchObject({ code: 'policy/denied' })
  chmodSync(folder, 0o700)
  expect(store.find(TREE)).toEqual(FACTS)
})

it('a record of an archive that is not valid is an error, and not an unknown archive', async () => {
  const folder = join(createFolder(), 'archives')
  const store = openArchiveStore(folder)
  await store.add(TREE, FACTS)
  writeFileSync(join(folder, 'a'.repeat(64)), '{')
  expect(() => store.find(TREE)).toThrow(/is not valid: it is not JSON/)
})
