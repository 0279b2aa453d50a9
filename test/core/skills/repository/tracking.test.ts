import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { BUILTIN_SKILLS } from '../../../../src/core/open-services.ts'
import { openRepository } from '../../../../src/core/skills/repository/open-repository.ts'
import type { SkillTracking } from '../../../../src/core/skills/repository/scan-roots.ts'
import { createActionSkill, prefixPaths } from '../../../helpers/projects.ts'
import { createFolder, writeTree } from '../../../helpers/skills.ts'

const WIDER = '\n[permissions]\nnetwork = ["https://evil.example.com"]\n'
const tree = {
  ...prefixPaths('greet', createActionSkill('demo.greet')),
  ...prefixPaths('other', createActionSkill('demo.other')),
}

async function openSkills(tracking: SkillTracking) {
  const root = createFolder()
  writeTree(root, tree)
  const cacheDir = createFolder()
  const repository = openRepository({ roots: [root], builtin: BUILTIN_SKILLS, cacheDir, tracking })
  await repository.list()
  const files = (path: string) => join(root, 'greet', path)
  const manifest = createActionSkill('demo.greet')['skill.toml'] as string
  const widen = () => writeFileSync(files('skill.toml'), manifest + WIDER)
  const mount = async (name = 'demo.greet') => repository.mount(await repository.resolve(name))
  return { root, repository, files, manifest, widen, mount }
}

type Skills = Awaited<ReturnType<typeof openSkills>>

/** Edits after which a run would use other code or other permissions. */
const EDITS: Readonly<Record<string, (skills: Skills) => void>> = {
  'a manifest with more permissions': ({ widen }) => widen(),
  'other code': ({ files }) => writeFileSync(files('code/main.py'), 'def main(args): return 1\n'),
  'a new file': ({ files }) => writeFileSync(files('code/json.py'), 'print(1)\n'),
  'code of the same size with the old modification time'({ files }) {
    const text = String(createActionSkill('demo.greet')['code/main.py']).replace('Hello', 'HELLO')
    writeFileSync(files('code/main.py'), text)
    utimesSync(files('code/main.py'), new Date(0), new Date(0))
  },
  'a file that replaces another one'({ root, files }) {
    writeFileSync(join(root, 'draft'), 'def main(args): return 1\n')
    renameSync(join(root, 'draft'), files('code/main.py'))
  },
}

describe('a pinned repository', () => {
  for (const [name, edit] of Object.entries(EDITS)) {
    it(`refuses a skill with ${name} until the skills are loaded again`, async () => {
      const skills = await openSkills('pinned')
      await skills.mount()
      edit(skills)
      await expect(skills.mount()).rejects.toMatchObject({
        code: 'skill/changed',
        message: expect.stringContaining('SIGHUP'),
      })
      const entry = await skills.repository.resolve('demo.greet')
      await expect(skills.repository.read(entry, 'SKILL.md')).rejects.toMatchObject({
        code: 'skill/changed',
      })
      expect((await skills.mount('demo.other')).manifest.name).toBe('demo.other')
      await skills.repository.refresh()
      expect((await skills.mount()).requireUnchanged?.()).toBeUndefined()
    })

    it(`is the reason for the refusal: a live one uses a skill with ${name}`, async () => {
      const skills = await openSkills('live')
      await skills.mount()
      edit(skills)
      expect((await skills.mount()).requireUnchanged?.()).toBeUndefined()
    })
  }

  it('refuses a skill that changed between its listing and its first use', async () => {
    const skills = await openSkills('pinned')
    skills.widen()
    await expect(skills.mount()).rejects.toMatchObject({ code: 'skill/changed' })
    const live = await openSkills('live')
    live.widen()
    expect((await live.mount()).manifest.permissions.network).toHaveLength(1)
  })

  it('has the permissions of the edit after the skills are loaded again', async () => {
    const skills = await openSkills('pinned')
    skills.widen()
    await skills.repository.refresh()
    expect((await skills.mount()).manifest.permissions.network).toHaveLength(1)
  })

  it('does not load an edited skill when another process uploads one', async () => {
    const uploads = createFolder()
    const root = createFolder()
    writeTree(root, tree)
    const options = { builtin: BUILTIN_SKILLS, uploads, tracking: 'pinned' } as const
    const repository = openRepository({ ...options, roots: [root, uploads] })
    await repository.list()
    writeFileSync(join(root, 'greet/code/main.py'), 'def main(args): return 1\n')
    writeTree(uploads, prefixPaths('demo.new/1.0.0', createActionSkill('demo.new')))
    expect((await repository.resolve('demo.new')).name).toBe('demo.new')
    const entry = await repository.resolve('demo.greet')
    await expect(repository.mount(entry)).rejects.toMatchObject({ code: 'skill/changed' })
  })
})

describe('a skill that is mounted', () => {
  for (const tracking of ['live', 'renewed', 'pinned'] as const) {
    it(`is refused if its files change before they are copied (${tracking})`, async () => {
      const skills = await openSkills(tracking)
      const mounted = await skills.mount()
      expect(mounted.requireUnchanged?.()).toBeUndefined()
      writeFileSync(skills.files('code/main.py'), 'def main(args): return 1\n')
      expect(() => mounted.requireUnchanged?.()).toThrow(
        expect.objectContaining({ code: 'skill/changed' }),
      )
    })
  }

  it('is refused if its folder is gone', async () => {
    const skills = await openSkills('pinned')
    rmSync(join(skills.root, 'greet'), { recursive: true })
    await expect(skills.mount()).rejects.toMatchObject({ code: 'skill/changed' })
  })
})

describe('a repository that follows edits', () => {
  it('reads an edited skill again, and no other', async () => {
    const { repository, files, root } = await openSkills('renewed')
    await sleep(150)
    repository.forget()
    const before = await repository.list()
    writeFileSync(files('code/main.py'), 'def main(args): return 1\n')
    expect(await repository.list()).toBe(before)
    repository.forget([join(root, 'greet/code')])
    const after = await repository.list()
    const changed = after.filter((entry) => !before.includes(entry))
    expect(changed.map(({ name }) => name)).toEqual(['demo.greet'])
    repository.forget([join(root, 'other')])
    const unchanged = (await repository.list()).filter(({ name }) => name === 'demo.other')
    expect(after).toContain(unchanged[0])
  })
})
