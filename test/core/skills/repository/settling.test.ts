// @module-tag isolated
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { BUILTIN_SKILLS } from '../../../../src/core/open-services.ts'
import { openRepository } from '../../../../src/core/skills/repository/open-repository.ts'
import { createActionSkill, prefixPaths } from '../../../helpers/projects.ts'
import { createFolder, writeTree } from '../../../helpers/skills.ts'

const pauses: (() => void)[] = []
vi.mock('node:timers/promises', async (importOriginal) => ({
  ...(await importOriginal<typeof import('node:timers/promises')>()),
  setTimeout: async () => await new Promise<void>((resolve) => pauses.push(resolve)),
}))

const realPause = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms))

/** Ends all pauses of the repository, as long as it makes some. */
async function endPauses(): Promise<void> {
  for (let round = 0; round < 20; round++) {
    await realPause(10)
    for (const end of pauses.splice(0)) end()
  }
}

afterEach(async () => await endPauses())

/** A pinned repository with one skill that did not change just now, and a folder of uploads. */
async function openPinned() {
  const [root, uploads] = [createFolder(), createFolder()]
  writeTree(root, prefixPaths('greet', createActionSkill('demo.greet')))
  await realPause(150)
  const options = { builtin: BUILTIN_SKILLS, uploads, tracking: 'pinned' } as const
  const repository = openRepository({ ...options, roots: [root, uploads] })
  await repository.list()
  const upload = () =>
    writeTree(uploads, prefixPaths('demo.new/1.0.0', createActionSkill('demo.new')))
  return { repository, root, uploads, upload }
}

it('queries do not wait until the stamps of an uploaded skill are settled', async () => {
  const { repository, upload } = await openPinned()
  expect(pauses).toHaveLength(0)
  upload()
  const names = (await repository.list()).map(({ name }) => name)
  expect(names).toContain('demo.new')
  expect(pauses).toHaveLength(1)
  const other = await repository.resolve('demo.greet')
  expect((await repository.manifest(other)).name).toBe('demo.greet')
  expect((await repository.mount(other)).manifest.name).toBe('demo.greet')
  expect(pauses).toHaveLength(1)
})

it('a run of an uploaded skill waits until its stamps are settled', async () => {
  const { repository, upload } = await openPinned()
  upload()
  const entry = await repository.resolve('demo.new')
  let isMounted = false
  const mounting = repository.mount(entry).then((mounted) => {
    isMounted = true
    return mounted
  })
  await realPause(150)
  expect(isMounted).toBe(false)
  await endPauses()
  expect((await mounting).manifest.name).toBe('demo.new')
})

it('a change of an uploaded skill is refused after its stamps are settled', async () => {
  const { repository, uploads, upload } = await openPinned()
  upload()
  await repository.list()
  await realPause(150)
  await endPauses()
  const edited = join(uploads, 'demo.new/1.0.0/code/main.py')
  writeFileSync(edited, 'def main(args): return 1\n')
  await expect(repository.mount(await repository.resolve('demo.new'))).rejects.toMatchObject({
    code: 'skill/changed',
  })
})

it('a skill that changes all the time is not signed again for ever', async () => {
  const { repository, uploads, upload } = await openPinned()
  upload()
  await repository.list()
  let rounds = 0
  for (let at = 0; at < 10; at++) {
    await realPause(5)
    rounds += pauses.length
    writeFileSync(join(uploads, 'demo.new/1.0.0/notes.txt'), String(at))
    for (const end of pauses.splice(0)) end()
  }
  expect(rounds).toBe(3)
})
