import { describeFiles } from '../packing/packed-file.ts'
import { digestContent, type ContentEntry } from '../skills/content/content-manifest.ts'
import type { FetchedRelease, SkillRelease } from './targets/publish-target.ts'

/** The first difference between a release and what a target returns for it, as a clause. */
export function findFetchedDifference(
  release: SkillRelease,
  fetched: FetchedRelease,
): string | undefined {
  return (
    findArchiveDifference(release, fetched.archives) ??
    findContentDifference(release, fetched) ??
    findBundleDifference(release, fetched)
  )
}

function findArchiveDifference(
  { archives }: SkillRelease,
  fetched: ReadonlyMap<string, string>,
): string | undefined {
  for (const { file, digest } of archives) {
    const found = fetched.get(file)
    if (found === undefined) return `"${file}" is missing`
    if (found !== digest) return `"${file}" has the digest ${found}, expected ${digest}`
  }
  return undefined
}

/** Compares digests of all files; of those that the target rewrites, only that they exist. */
function findContentDifference(
  { entries, tree }: SkillRelease,
  { files, rewritten = [], hasModes = true }: FetchedRelease,
): string | undefined {
  const found = describeFiles(files)
  if (rewritten.length === 0 && hasModes) {
    const digest = digestContent(found)
    return digest === tree ? undefined : `its files have the digest ${digest}, expected ${tree}`
  }
  const known = new Map(found.map((entry) => [entry.path, entry]))
  const isEqual = (entry: ContentEntry): boolean => {
    const other = known.get(entry.path)
    if (!other || (hasModes && other.mode !== entry.mode)) return false
    return rewritten.includes(entry.path) || other.sha256 === entry.sha256
  }
  const changed = entries.find((entry) => !isEqual(entry))
  if (changed) return `"${changed.path}" is not the same`
  const extra = found.find(({ path }) => !entries.some((entry) => entry.path === path))
  return extra && `"${extra.path}" is not part of the release`
}

function findBundleDifference(
  { bundle }: SkillRelease,
  fetched: FetchedRelease,
): string | undefined {
  if (bundle === undefined) return undefined
  if (fetched.bundle === undefined) return 'the signatures are missing'
  return Buffer.compare(bundle, fetched.bundle) === 0
    ? undefined
    : 'the signatures are not the same'
}
