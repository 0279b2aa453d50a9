import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openRepository } from '../../../../src/core/skills/repository/open-repository.ts'
import type { Repository } from '../../../../src/core/skills/repository/repository.ts'
import { checkUploads } from '../../../../src/core/skills/uploads/upload-digests.ts'
import type { UploadLimits } from '../../../../src/core/skills/uploads/upload-quota.ts'
import type {
  NewSkill,
  UploadedSkills,
} from '../../../../src/core/skills/uploads/uploaded-skills.ts'
import { getUploadsRoot } from '../../../../src/core/skills/uploads/uploads-root.ts'
import { createFolder } from '../../../helpers/skills.ts'

/** A store with its data directory. */
export interface UploadsUnderTest {
  uploads: UploadedSkills
  dataDir: string
  /** Removes a version as an operator does. */
  remove: (name: string, version: string) => Promise<void>
}

type MakeUploads = (limits: UploadLimits) => UploadsUnderTest | Promise<UploadsUnderTest>

const LIMITS: UploadLimits = { maxSkills: 100, quotaBytes: 100e6 }
const accept = async () => {}

/** A valid skill. */
export function createNewSkill(name = 'demo.note', version = '1.0.0', text = 'A note.'): NewSkill {
  const toml = `name = "${name}"\nversion = "${version}"\ndescription = "A note."\nkind = "instruction"\n`
  const files = new Map([
    ['skill.toml', Buffer.from(toml)],
    ['SKILL.md', Buffer.from(`---\nname: note\ndescription: A note.\n---\n\n# Note\n\n${text}\n`)],
    ['docs/more.md', Buffer.from('# More\n')],
  ])
  return { name, version, files }
}

/** A repository over the uploads of a data directory. */
export function openUploadsRepository(dataDir: string): Repository {
  const uploads = getUploadsRoot(dataDir)
  return openRepository({ roots: [uploads], uploads, builtin: createFolder(), notices: true })
}

async function listVersions(repository: Repository): Promise<string[]> {
  return (await repository.list()).map(({ name, version }) => `${name}@${version}`)
}

/** Contract of every store of uploaded skills; `make` opens an empty one. */
export function describeUploads(where: string, make: MakeUploads): void {
  describe(`uploaded skills in ${where}`, () => {
    it('adds a skill that the repository lists, with its files and digests', async () => {
      const { uploads, dataDir } = await make(LIMITS)
      const repository = openUploadsRepository(dataDir)
      expect(await listVersions(repository)).toEqual([])
      await uploads.add(createNewSkill(), accept)
      await uploads.add(createNewSkill('demo.note', '1.1.0'), accept)
      expect(await listVersions(repository)).toEqual(['demo.note@1.1.0', 'demo.note@1.0.0'])
      const entry = await repository.resolve('demo.note', '1.0.0')
      expect((await repository.files(entry)).map(({ path }) => path)).toEqual([
        'SKILL.md',
        'docs/more.md',
        'skill.toml',
      ])
      expect(await checkUploads(dataDir)).toMatchObject({ checked: 2, damaged: [] })
    })

    it('refuses a version that exists, also with the same files', async () => {
      const { uploads, dataDir } = await make(LIMITS)
      await uploads.add(createNewSkill(), accept)
      const repository = openUploadsRepository(dataDir)
      const digest = async () => await repository.digest(await repository.resolve('demo.note'))
      const before = await digest()
      for (const text of ['A note.', 'Other.']) {
        const adding = uploads.add(createNewSkill('demo.note', '1.0.0', text), accept)
        await expect(adding).rejects.toMatchObject({ code: 'skill/exists' })
      }
      expect(await digest()).toBe(before)
    })

    it('accepts one of several concurrent uploads of a version', async () => {
      const { uploads, dataDir } = await make(LIMITS)
      const texts = ['one', 'two', 'three', 'four']
      const results = await Promise.allSettled(
        texts.map(
          async (text) => await uploads.add(createNewSkill('demo.note', '1.0.0', text), accept),
        ),
      )
      const winners = texts.filter((_, at) => results[at]?.status === 'fulfilled')
      expect(winners).toHaveLength(1)
      const stored = join(getUploadsRoot(dataDir), 'demo.note', '1.0.0', 'SKILL.md')
      expect(readFileSync(stored, 'utf8')).toContain(winners[0])
    })

    it('passes a draft with all files to the check, and stores nothing if it throws', async () => {
      const { uploads, dataDir } = await make(LIMITS)
      const seen: string[] = []
      const refuse = async (draft: string) => {
        seen.push(...readdirSync(draft, { recursive: true, encoding: 'utf8' }).sort())
        expect(uploads.has(draft)).toBe(true)
        throw new Error('not valid')
      }
      await expect(uploads.add(createNewSkill(), refuse)).rejects.toThrow('not valid')
      expect(seen).toEqual(['SKILL.md', 'docs', 'docs/more.md', 'skill.toml'])
      expect(await listVersions(openUploadsRepository(dataDir))).toEqual([])
      expect(readdirSync(join(getUploadsRoot(dataDir), '.drafts'))).toEqual([])
      await uploads.add(createNewSkill(), accept)
    })

    it('refuses more skills and more bytes than the limits, until some are removed', async () => {
      const { uploads, remove } = await make({ maxSkills: 2, quotaBytes: 100e6 })
      await uploads.add(createNewSkill('demo.a'), accept)
      await uploads.add(createNewSkill('demo.b'), accept)
      const third = createNewSkill('demo.c')
      await expect(uploads.add(third, accept)).rejects.toMatchObject({ code: 'skill/quota' })
      await remove('demo.b', '1.0.0')
      await uploads.add(third, accept)
      const small = await make({ maxSkills: 9, quotaBytes: 20_000 })
      await small.uploads.add(createNewSkill('demo.a'), accept)
      const adding = small.uploads.add(createNewSkill('demo.b'), accept)
      await expect(adding).rejects.toMatchObject({ code: 'skill/quota' })
    })

    it('recognizes the folders of uploads, also through a link', async () => {
      const { uploads, dataDir } = await make(LIMITS)
      await uploads.add(createNewSkill(), accept)
      const { dir } = await openUploadsRepository(dataDir).resolve('demo.note')
      expect(uploads.has(dir)).toBe(true)
      expect(uploads.has(`${getUploadsRoot(dataDir)}-other/demo.note`)).toBe(false)
      const link = join(createFolder(), 'link')
      symlinkSync(dir, link)
      expect(uploads.has(link)).toBe(false)
      expect(await uploads.hasRealPath(link)).toBe(true)
      expect(await uploads.hasRealPath(createFolder())).toBe(false)
    })

    it('gives a name to one of several callers, who keeps it', async () => {
      const { owners } = (await make(LIMITS)).uploads
      expect(await owners.find('demo.note')).toBeUndefined()
      const callers = ['ann', 'bob', 'cat', 'dan']
      const claimed = await Promise.all(
        callers.map(async (caller) => await owners.claim('demo.note', caller)),
      )
      const [owner] = claimed
      expect(callers).toContain(owner)
      expect(claimed).toEqual(callers.map(() => owner))
      expect(await owners.claim('demo.note', 'eve')).toBe(owner)
      await owners.transfer('demo.note', 'eve')
      expect(await owners.find('demo.note')).toBe('eve')
      expect(await owners.claim('demo.own', null)).toBeNull()
      expect(await owners.find('demo.own')).toBeNull()
    })

    it('removes drafts of processes that ended', async () => {
      const { uploads, dataDir } = await make(LIMITS)
      await uploads.add(createNewSkill(), accept)
      const [own = ''] = await seeDraftName(uploads)
      const left = join(getUploadsRoot(dataDir), '.drafts', own.replace(/\.\d+-\d+\./, '.1-1.'))
      symlinkSync('/nowhere', left)
      await uploads.sweep()
      expect(existsSync(left)).toBe(false)
      expect(readdirSync(join(getUploadsRoot(dataDir), '.drafts'))).toEqual([])
    })
  })
}

/** The name of a draft, which names this process. */
async function seeDraftName(uploads: UploadedSkills): Promise<string[]> {
  const names: string[] = []
  const refuse = async (draft: string) => {
    names.push(draft.slice(draft.lastIndexOf('/') + 1))
    throw new Error('seen')
  }
  await expect(uploads.add(createNewSkill('demo.seen'), refuse)).rejects.toThrow('seen')
  return names
}
