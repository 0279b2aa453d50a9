import { link, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { syncFolder, writeSynced } from '../../../util/durable-file.ts'
import { parseSealedJson, sealJson } from '../../../util/sealed-json.ts'
import { createDraftPath, sweepDrafts } from './upload-drafts.ts'
import { isNameOwner, type NameOwner, type NameOwners } from './name-owners.ts'

/** Owners as files, one for each name, next to the folder of all uploads. */
export function openNameOwners(dataDir: string): NameOwners {
  const find = async (name: string) => await readOwner(getOwnerFile(dataDir, name))
  return {
    find,
    async claim(name, owner) {
      const known = await find(name)
      if (known !== undefined) return known
      await writeOwner(getOwnerFile(dataDir, name), owner, placeNew)
      return (await find(name)) as NameOwner
    },
    async transfer(name, owner) {
      await writeOwner(getOwnerFile(dataDir, name), owner, rename)
    },
  }
}

function getOwnerFile(dataDir: string, name: string): string {
  return join(dataDir, 'created-owners', `${name}.json`)
}

async function readOwner(file: string): Promise<NameOwner | undefined> {
  try {
    const { owner } = parseSealedJson(await readFile(file, 'utf8')) as { owner: unknown }
    if (isNameOwner(owner)) return owner
    throw new Error('unexpected content')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw unreadableOwnerError(file, error)
  }
}

/** Writes a file completely, then places it under its name. */
async function writeOwner(
  file: string,
  owner: NameOwner,
  place: (draft: string, file: string) => Promise<void>,
): Promise<void> {
  const folder = dirname(file)
  await sweepDrafts(folder)
  const draft = createDraftPath(folder)
  await mkdir(dirname(draft), { recursive: true, mode: 0o700 })
  try {
    await writeSynced(draft, `${sealJson({ owner })}\n`)
    await place(draft, file)
    await syncFolder(folder)
  } finally {
    await rm(draft, { force: true })
  }
}

/** One of several writers of a name succeeds: a link never replaces a file. */
async function placeNew(draft: string, file: string): Promise<void> {
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

function unreadableOwnerError(file: string, cause: unknown): SkillsError {
  return new SkillsError('store/unavailable', `Cannot read the owner of a skill in "${file}"`, {
    hint: 'Delete the file, then type "skills grant <skill> --owner <token name>"',
    cause,
  })
}
