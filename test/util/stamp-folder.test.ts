import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { stampFolder } from '../../src/util/stamp-folder.ts'
import { folder } from '../helpers/skills.ts'

it('is relied on only where the last change was a while before it was taken', async () => {
  const dir = folder()
  writeFileSync(join(dir, 'a'), 'x')
  const early = stampFolder(dir)
  await sleep(150)
  expect(early.isSettled).toBe(false)
  expect(stampFolder(dir).isSettled).toBe(true)
})

it('is not relied on where it does not see all entries', { timeout: 60_000 }, async () => {
  const dir = folder()
  mkdirSync(join(dir, 'many'))
  for (let at = 0; at < 20_001; at++) writeFileSync(join(dir, 'many', String(at)), '')
  await sleep(150)
  expect(stampFolder(dir).isSettled).toBe(false)
})
