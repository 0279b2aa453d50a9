import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openRepository } from '../../../../src/core/skills/repository/open-repository.ts'
import { BUILTIN_SKILLS } from '../../../../src/core/open-services.ts'
import { createFolder } from '../../../helpers/skills.ts'

const createToml = (description: string) =>
  `name = "a.b"\nversion = "0.1.0"\ndescription = "${description}"\nkind = "instruction"\n`

async function plantSkill() {
  const root = createFolder({ 'x/skill.toml': createToml('First.'), 'x/SKILL.md': 'Read me.\n' })
  await sleep(150)
  const repository = openRepository({ roots: [root], builtin: BUILTIN_SKILLS })
  const entry = await repository.resolve('a.b')
  return { file: join(root, 'x', 'skill.toml'), read: async () => await repository.manifest(entry) }
}

it('a manifest is read once while its files are unchanged', async () => {
  const { read } = await plantSkill()
  expect(await read()).toBe(await read())
})

it('a manifest reflects the current content of its file', async () => {
  const { file, read } = await plantSkill()
  expect(await read()).toMatchObject({ description: 'First.' })
  for (const description of ['Other.', 'Third.']) {
    writeFileSync(file, createToml(description))
    expect(await read()).toMatchObject({ description })
  }
})

it('a manifest that becomes invalid is rejected', async () => {
  const { file, read } = await plantSkill()
  await read()
  writeFileSync(file, 'name = ')
  await expect(read()).rejects.toMatchObject({ code: 'skill/invalid' })
})

it('a removed manifest is not returned from the cache', async () => {
  const { file, read } = await plantSkill()
  await read()
  rmSync(file)
  expect(await read().catch(() => undefined)).not.toMatchObject({ description: 'First.' })
})
