import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { walkFolder, type FolderLists } from '../../src/util/walk-folder.ts'
import { createFolder } from '../helpers/skills.ts'

async function createTree(): Promise<string> {
  const dir = createFolder()
  mkdirSync(join(dir, 'below/deep'), { recursive: true })
  writeFileSync(join(dir, 'below/a'), 'x')
  writeFileSync(join(dir, '__proto__'), 'x')
  await sleep(150)
  return dir
}

/** Lists as another process loads them. */
const reload = (lists: FolderLists | undefined) => JSON.parse(JSON.stringify(lists)) as FolderLists

it('a walk with earlier lists has the same stamp, and returns the same lists', async () => {
  const dir = await createTree()
  const { stamp, lists, entries } = walkFolder(dir)
  expect(stamp.isSettled).toBe(true)
  const known = reload(lists)
  const again = walkFolder(dir, known)
  expect(again.stamp).toEqual(stamp)
  expect(again.lists).toBe(known)
  expect(again.entries).toEqual(entries)
  expect([...(entries?.keys() ?? [])].length).toBe(readdirSync(dir, { recursive: true }).length + 1)
})

const CHANGES: Record<string, (dir: string) => void> = {
  'a new file': (dir) => writeFileSync(join(dir, 'below/deep/new'), ''),
  'a file that is gone': (dir) => rmSync(join(dir, 'below/a')),
  'a folder in place of another'(dir) {
    mkdirSync(join(dir, 'other'))
    writeFileSync(join(dir, 'other/hidden'), 'x')
    rmSync(join(dir, 'below'), { recursive: true })
    renameSync(join(dir, 'other'), join(dir, 'below'))
  },
  'a link in place of a folder'(dir) {
    rmSync(join(dir, 'below'), { recursive: true })
    symlinkSync(createFolder(), join(dir, 'below'))
  },
}

it.each(Object.entries(CHANGES))('%s is seen in spite of earlier lists', async (_name, change) => {
  const dir = await createTree()
  const { stamp, lists } = walkFolder(dir)
  change(dir)
  const now = walkFolder(dir, reload(lists))
  expect(now.stamp.text).not.toBe(stamp.text)
  expect(now.stamp).toEqual(walkFolder(dir).stamp)
})

it('a list is used instead of the folder only while the state of the folder is the same', async () => {
  const dir = await createTree()
  const lists = reload(walkFolder(dir).lists)
  const forged = { ...lists, below: { ...lists['below'], names: ['a'] } } as FolderLists
  // The control: an unchanged folder is not listed.
  expect(walkFolder(dir, forged).entries?.has(join(dir, 'below/deep'))).toBe(false)
  writeFileSync(join(dir, 'below/new'), '')
  expect(walkFolder(dir, forged).entries?.has(join(dir, 'below/deep'))).toBe(true)
})

it('the list of a folder that changed a moment ago is not retained', () => {
  const dir = createFolder()
  writeFileSync(join(dir, 'a'), '')
  expect(walkFolder(dir).lists).toEqual({})
})
