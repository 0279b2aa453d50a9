import { hash } from 'node:crypto'
import { lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../../../errors.ts'
import { writeFileWhole } from '../../../../util/files/write-file-whole.ts'
import { writeIgnoreFile } from '../../../../util/files/write-ignore-file.ts'
import { withFolderLock } from '../../../audit/with-folder-lock.ts'
import type { PlannedWrite, PublishCall } from '../publish-target.ts'
import type { SiteFile } from './site-files.ts'

/** Folder of a site for the lock of publishers, which is not part of the site. */
const LOCK_FOLDER = '.skills-publish'

/** A site that this process may write to. */
export interface LockedSite {
  folder: string
  /** Throws if this process was stopped for so long that another one took the lock. */
  check: () => void
}

/** Compares files with those on disk. */
export function planFiles(folder: string, files: readonly SiteFile[]): PlannedWrite[] {
  return files.map(({ path, bytes, isExecutable = false }) => ({
    path,
    action: compareFile(join(folder, path), bytes, isExecutable),
    size: bytes.length,
    digest: `sha256:${hash('sha256', bytes)}`,
  }))
}

function compareFile(
  file: string,
  bytes: Uint8Array,
  isExecutable: boolean,
): PlannedWrite['action'] {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (!stat) return 'create'
  const hasMode = ((stat.mode & 0o100) !== 0) === isExecutable
  const isSame =
    stat.isFile() && hasMode && stat.size === bytes.length && readFileSync(file).equals(bytes)
  return isSame ? 'keep' : 'replace'
}

/** Writes the files that differ, in their order. Each is replaced in one step. */
export async function writeFiles(
  { folder, check }: LockedSite,
  files: readonly SiteFile[],
  call: PublishCall,
): Promise<void> {
  for (const file of files) {
    call.signal.throwIfAborted()
    const [write] = planFiles(folder, [file])
    if (!write || write.action === 'keep') continue
    prepareFolder(folder, dirname(file.path))
    await writeFileWhole(join(folder, file.path), file.bytes, {
      mode: file.isExecutable === true ? 0o755 : 0o644,
      check,
    })
    call.onWritten(write)
  }
}

/** Refuses links below the site: its files would be written elsewhere. */
function prepareFolder(folder: string, path: string): void {
  let at = folder
  for (const name of path.split('/').filter((each) => each !== '.')) {
    at = join(at, name)
    mkdirSync(at, { recursive: true })
    if (lstatSync(at).isDirectory()) continue
    throw new SkillsError(
      'file/outside',
      `"${at}" is a link, and a site is not written through links`,
      { hint: `Replace it by a folder: rm "${at}"` },
    )
  }
}

/** Runs while no other publisher writes to the site. */
export async function withSiteLock<Result>(
  folder: string,
  run: (site: LockedSite) => Promise<Result>,
): Promise<Result> {
  mkdirSync(folder, { recursive: true })
  if (!statSync(folder).isDirectory()) {
    throw new SkillsError('usage/invalid', `"${folder}" is not a folder`, {
      hint: 'Name the folder of the site: --to site:./public',
    })
  }
  prepareFolder(folder, LOCK_FOLDER)
  await writeIgnoreFile(join(folder, LOCK_FOLDER))
  return await withFolderLock(join(folder, LOCK_FOLDER), async (lock) => {
    const check = (): void => {
      if (!lock.isFenced()) return
      throw new SkillsError('skill/changed', 'Another publisher took the lock of the site', {
        hint: 'Type the same command again to complete the publication',
      })
    }
    return await run({ folder, check })
  })
}
