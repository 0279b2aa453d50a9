import type { ComparedSide } from './compared-side.ts'
import { isInstruction } from './compare-instructions.ts'
import type { RawDifference } from './difference.ts'
import { findVendoredFolder } from './snapshots/left-out-paths.ts'
import type { SnapshotFile } from './snapshots/snapshot.ts'

/** Files by their digests; the texts of documents have a class of their own. */
export function compareFiles(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const [old, now] = [listOwnFiles(before), listOwnFiles(after)]
  const removed = new Map([...old].filter(([path]) => !now.has(path)))
  const found: RawDifference[] = []
  for (const [path, file] of now) {
    const was = old.get(path)
    if (was) {
      found.push(...compareFile(path, was, file))
      continue
    }
    const from = findRenamed(removed, file)
    if (from !== undefined) removed.delete(from)
    const place = { side: after.side, path }
    if (from !== undefined)
      found.push({ code: 'files/renamed', subject: path, before: from, after: path, place })
    else if (!isInstruction(path) || file.type !== 'file') {
      found.push({ code: 'files/added', subject: path, after: describeFile(file), place })
    }
  }
  for (const [path, file] of removed) {
    if (isInstruction(path) && file.type === 'file') continue
    const place = { side: before.side, path }
    found.push({ code: 'files/removed', subject: path, before: describeFile(file), place })
  }
  return found
}

function listOwnFiles({ snapshot }: ComparedSide): Map<string, SnapshotFile> {
  return new Map(
    [...snapshot.files]
      .filter(([path]) => findVendoredFolder(path) === undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** Manifests are compared by their values, so that a changed comment is no second difference. */
function compareFile(path: string, was: SnapshotFile, file: SnapshotFile): RawDifference[] {
  const place = { side: 'after' as const, path }
  if (was.type !== file.type) {
    const values = { before: describeFile(was), after: describeFile(file) }
    return [{ code: 'files/type-changed', subject: path, ...values, place }]
  }
  if (was.digest === file.digest) return []
  const isRead = was.bytes !== undefined && file.bytes !== undefined
  if (isInstruction(path) && isRead && file.type === 'file' && path !== 'SKILL.md') {
    if (isText(was) && isText(file)) return []
  }
  const values = { before: describeFile(was), after: describeFile(file) }
  return [{ code: 'files/changed', subject: path, ...values, place }]
}

function isText({ bytes }: SnapshotFile): boolean {
  return bytes !== undefined && !bytes.includes(0)
}

function findRenamed(
  removed: ReadonlyMap<string, SnapshotFile>,
  file: SnapshotFile,
): string | undefined {
  if (file.type !== 'file' || file.size === 0) return undefined
  for (const [path, { digest, type }] of removed) {
    if (type === 'file' && digest === file.digest) return path
  }
  return undefined
}

/** Size and digest, or the target of a link. */
function describeFile({ type, size, digest, target }: SnapshotFile): string {
  if (type === 'link') return `link to ${target ?? ''}`
  return type === 'special' ? 'special file' : `${size} bytes, sha256:${digest.slice(0, 16)}`
}
