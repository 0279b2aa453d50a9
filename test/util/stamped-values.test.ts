import { appendFileSync, chmodSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { digestFolder } from '../../src/core/skills/content/read-content.ts'
import { StampedValues } from '../../src/util/stamped-values.ts'
import { createFolder } from '../helpers/skills.ts'

const digests = new StampedValues<string>()
const knownDigest = async (dir: string) =>
  await digests.get(dir, async () => await digestFolder(dir))

const THEN = new Date(2020, 1, 1)

function skill(): string {
  const dir = createFolder()
  writeFileSync(join(dir, 'SKILL.md'), 'one\n')
  writeFileSync(join(dir, 'other.md'), 'two\n')
  return dir
}

const CHANGES: Record<string, (dir: string) => void> = {
  'a file of the same size and time': (dir) => {
    writeFileSync(join(dir, 'SKILL.md'), 'two\n')
    utimesSync(join(dir, 'SKILL.md'), THEN, THEN)
  },
  'a longer file': (dir) => appendFileSync(join(dir, 'SKILL.md'), 'x'),
  'a new file': (dir) => writeFileSync(join(dir, 'new'), ''),
  'a right to execute': (dir) => chmodSync(join(dir, 'SKILL.md'), 0o755),
  'files that change places': (dir) => {
    renameSync(join(dir, 'SKILL.md'), join(dir, 'x'))
    renameSync(join(dir, 'other.md'), join(dir, 'SKILL.md'))
    renameSync(join(dir, 'x'), join(dir, 'other.md'))
  },
}

it.each(Object.entries(CHANGES))('%s changes the digest', async (_name, change) => {
  const dir = skill()
  utimesSync(join(dir, 'SKILL.md'), THEN, THEN)
  await sleep(150)
  const before = await knownDigest(dir)
  expect(await knownDigest(dir)).toBe(before)
  change(dir)
  const after = await knownDigest(dir)
  expect(after).not.toBe(before)
  expect(after).toBe(await digestFolder(dir))
})

it('a recently changed folder is read again', async () => {
  const dir = skill()
  for (let at = 0; at < 20; at++) {
    writeFileSync(join(dir, 'SKILL.md'), String(at))
    expect(await knownDigest(dir)).toBe(await digestFolder(dir))
  }
})
