// @module-tag slow
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { FolderStamps, stampFiles } from '../../src/util/stamp-folder.ts'
import { createFolder } from '../helpers/skills.ts'

const stamps = new FolderStamps()

it('a stamp is settled only some time after the last change', async () => {
  const dir = createFolder()
  writeFileSync(join(dir, 'a'), 'x')
  const early = stamps.stamp(dir)
  await sleep(150)
  expect(early.isSettled).toBe(false)
  expect(stamps.stamp(dir).isSettled).toBe(true)
})

it('a stamp is not settled if there are too many entries', { timeout: 60_000 }, async () => {
  const dir = createFolder()
  mkdirSync(join(dir, 'many'))
  for (let at = 0; at < 20_001; at++) writeFileSync(join(dir, 'many', String(at)), '')
  await sleep(150)
  expect(stamps.stamp(dir).isSettled).toBe(false)
})

const CHANGES: Record<string, (dir: string) => void> = {
  'a new file': (dir) => writeFileSync(join(dir, 'below', 'new'), ''),
  'a file that is gone': (dir) => rmSync(join(dir, 'below', 'a')),
  'a file in place of another': (dir) => {
    writeFileSync(join(dir, 'other'), 'x')
    renameSync(join(dir, 'other'), join(dir, 'below', 'a'))
  },
  'a folder that is gone': (dir) => rmSync(join(dir, 'below'), { recursive: true }),
}

it.each(Object.entries(CHANGES))('%s changes the stamp, at any depth', async (_name, change) => {
  const dir = createFolder()
  mkdirSync(join(dir, 'below'))
  writeFileSync(join(dir, 'below', 'a'), 'x')
  await sleep(150)
  const before = stamps.stamp(dir)
  expect(stamps.stamp(dir)).toEqual(before)
  change(dir)
  expect(stamps.stamp(dir).text).not.toBe(before.text)
})

it('a change behind a link to the folder changes the stamp', async () => {
  const [dir, link] = [join(createFolder(), 'own'), join(createFolder(), 'link')]
  mkdirSync(dir)
  symlinkSync(dir, link)
  await sleep(150)
  const before = stamps.stamp(link)
  expect(stamps.stamp(link)).toEqual(before)
  writeFileSync(join(dir, 'new'), '')
  expect(stamps.stamp(link).text).not.toBe(before.text)
})

it('a stamp of files shows which of them exist', async () => {
  const dir = createFolder()
  const files = [join(dir, 'a'), join(dir, 'b')]
  writeFileSync(join(dir, 'a'), 'x')
  await sleep(150)
  const before = stampFiles(files)
  expect(before.isSettled).toBe(true)
  expect(stampFiles(files)).toEqual(before)
  writeFileSync(join(dir, 'b'), '')
  const after = stampFiles(files)
  expect(after.text).not.toBe(before.text)
  expect(after.isSettled).toBe(false)
})
