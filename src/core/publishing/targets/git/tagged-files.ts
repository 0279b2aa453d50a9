import { SkillsError } from '../../../../errors.ts'
import { readGitSnapshot } from '../../../comparing/snapshots/git-snapshot.ts'
import type { ContentSnapshot } from '../../../comparing/snapshots/snapshot.ts'
import { findLeftOutReason } from '../../../packing/left-out.ts'
import type { PackedFile } from '../../../packing/packed-file.ts'
import type { SkillRelease } from '../publish-target.ts'

interface GitFolder {
  folder: string
  env: Readonly<Record<string, string | undefined>>
}

/** The files of a commit that belong into archives; undefined if they are too large to compare. */
export async function readTaggedFiles(
  { folder, env }: GitFolder,
  ref: string,
): Promise<PackedFile[] | undefined> {
  const snapshot = await readGitSnapshot({ cwd: folder, ref, path: '.', env }, ref)
  const packed = listPacked(snapshot)
  if (snapshot.omissions.length > 0 || packed.some(([, file]) => !file.bytes)) return undefined
  return packed.map(([path, file]) => ({
    path: path.normalize('NFC'),
    isExecutable: (file.mode & 0o100) !== 0,
    bytes: file.bytes ?? new Uint8Array(),
  }))
}

/** A tag names a commit, so the commit has to have the files of the release. */
export async function requireCommittedFiles(
  { folder, env }: GitFolder,
  commit: string,
  { entries }: SkillRelease,
): Promise<void> {
  const snapshot = await readGitSnapshot({ cwd: folder, ref: commit, path: '.', env }, 'HEAD')
  const committed = new Map(listPacked(snapshot))
  const changed = entries.find(({ path, sha256, mode }) => {
    const file = committed.get(path)
    return file?.digest !== sha256 || ((file.mode & 0o100) !== 0) !== (mode === '100755')
  })
  const known = new Set(entries.map(({ path }) => path))
  const path = changed?.path ?? [...committed.keys()].find((each) => !known.has(each))
  if (path === undefined) return
  throw new SkillsError('skill/changed', `"${path}" differs from the current commit`, {
    hint: 'Commit it: a tag contains only what is committed',
  })
}

function listPacked({ files }: ContentSnapshot) {
  return [...files].filter(([path]) => {
    const parts = path.split('/')
    return !parts.some((_, at) => {
      const isFolder = at < parts.length - 1
      const reason = findLeftOutReason(parts.slice(0, at + 1).join('/'))
      return reason !== undefined && (reason !== 'tests' || isFolder)
    })
  })
}
