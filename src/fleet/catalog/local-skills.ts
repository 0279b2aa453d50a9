import { lstatSync } from 'node:fs'
import { mkdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createDraftPath, sweepDrafts } from '../../core/skills/uploads/upload-drafts.ts'
import {
  removeUploadDigests,
  storeUploadDigests,
} from '../../core/skills/uploads/upload-digests.ts'
import { throwIfExhausted } from '../../errors.ts'
import { createOwnName, listNames } from '../../util/leftovers.ts'
import type { SkillVersion } from './catalog-entry.ts'
import { readFolderDigest, type FolderDigest } from './folder-digest.ts'

/** Folder of one file for each skill that came from the catalog; listings of skills leave it out. */
const MARKERS = '.catalog'
/** Next to the root: skills that were there before, and are not in the catalog. */
const SET_ASIDE = 'created-set-aside'
const PLACE_TRIES = 5

/** A folder below the root, or something else that is not in the catalog. */
export interface LocalItem {
  /** Relative to the root. */
  path: string
  /** True if it came from the catalog, which can restore it. */
  isPlaced: boolean
}

/**
 * The folder of a node that has the skills of the catalog, in the layout of uploaded skills. Only skills
 * that came from the catalog are removed: it may be the data directory of a node without a fleet.
 */
export class LocalSkills {
  readonly root: string
  #dataDir: string

  constructor(root: string) {
    this.root = root
    this.#dataDir = dirname(root)
  }

  /** Creates the folders, and removes drafts of processes that ended. */
  async prepare(): Promise<void> {
    await mkdir(join(this.root, MARKERS), { recursive: true })
    await mkdir(dirname(createDraftPath(this.root)), { recursive: true })
    await sweepDrafts(this.root)
  }

  getFolder({ name, version }: SkillVersion): string {
    return join(this.root, name, version)
  }

  createDraft(): string {
    return createDraftPath(this.root)
  }

  /** Undefined if the folder is missing or cannot be read as a skill. */
  async digest(skill: SkillVersion): Promise<FolderDigest | undefined> {
    const folder = this.getFolder(skill)
    if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return undefined
    try {
      return await readFolderDigest(folder)
    } catch (error) {
      throwIfExhausted(error)
      return undefined
    }
  }

  /** Notes that a folder has the files of the catalog. */
  async mark(skill: SkillVersion, { digest, files }: FolderDigest): Promise<void> {
    await storeUploadDigests(this.#dataDir, skill, files)
    await writeFile(this.#getMarker(skill), digest, { mode: 0o600 })
  }

  /** True if the folder of a version came from the catalog. */
  isMarked(skill: SkillVersion): boolean {
    return exists(this.#getMarker(skill))
  }

  /** Renames a draft to the folder of its version, unless another process was first. */
  async place(draft: string, skill: SkillVersion, found: FolderDigest): Promise<void> {
    const target = this.getFolder(skill)
    for (let attempt = 1; ; attempt += 1) {
      const isPlaced = this.isMarked(skill)
      await this.mark(skill, found)
      try {
        await mkdir(dirname(target), { recursive: true })
        await rename(draft, target)
        return
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException
        // Another process has placed a folder, or has removed the last version of the name.
        const isRace = ['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(code)
        if (!isRace || attempt === PLACE_TRIES) throw error
        if ((await this.digest(skill))?.digest === found.digest) return
        await this.clearItem({ path: `${skill.name}/${skill.version}`, isPlaced })
      }
    }
  }

  /** Removes what a version has in the folder, or sets it aside; returns its new path then. */
  async clear(skill: SkillVersion): Promise<string | undefined> {
    const { name, version } = skill
    return await this.clearItem({ path: `${name}/${version}`, isPlaced: this.isMarked(skill) })
  }

  async clearItem({ path, isPlaced }: LocalItem): Promise<string | undefined> {
    const target = join(this.root, path)
    if (!isPlaced) return exists(target) ? await this.#setAside(path) : undefined
    const draft = createDraftPath(this.root)
    await moveIfPresent(target, draft)
    await rm(draft, { recursive: true, force: true })
    const [name = '', version = ''] = path.split('/')
    await removeUploadDigests(this.#dataDir, { name, version })
    await rm(this.#getMarker({ name, version }), { force: true })
    await removeIfEmpty(dirname(target))
    return undefined
  }

  async #setAside(path: string): Promise<string | undefined> {
    const name = `${path.replaceAll('/', '@')}.${createOwnName()}`
    const aside = join(this.#dataDir, SET_ASIDE, name)
    await mkdir(dirname(aside), { recursive: true, mode: 0o700 })
    const isMoved = await moveIfPresent(join(this.root, path), aside)
    await removeIfEmpty(dirname(join(this.root, path)))
    return isMoved ? aside : undefined
  }

  /** Lists what is in the folder and not in the catalog. */
  async listOthers(isListed: (path: string) => boolean): Promise<LocalItem[]> {
    const items: LocalItem[] = []
    for (const name of await listVisible(this.root)) {
      const isFolder = lstatSync(join(this.root, name), { throwIfNoEntry: false })?.isDirectory()
      const children = isFolder ? await listVisible(join(this.root, name)) : []
      const paths = isFolder ? children.map((child) => `${name}/${child}`) : [name]
      for (const path of paths) {
        if (!isListed(path)) items.push({ path, isPlaced: this.#isPlaced(path) })
      }
    }
    return items
  }

  #isPlaced(path: string): boolean {
    const [name = '', version = ''] = path.split('/')
    return version !== '' && this.isMarked({ name, version })
  }

  #getMarker({ name, version }: SkillVersion): string {
    return join(this.root, MARKERS, `${name}@${version}`)
  }
}

async function moveIfPresent(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return false
    throw error
  }
}

async function removeIfEmpty(folder: string): Promise<void> {
  // Other versions are in it, or another process has removed it.
  await rmdir(folder).catch(() => {})
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

async function listVisible(dir: string): Promise<string[]> {
  return (await listNames(dir)).filter((name) => !name.startsWith('.'))
}
