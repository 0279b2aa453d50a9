import type { ContentEntry } from '../../skills/content/content-manifest.ts'

/** Paths that differ between two sets of files. */
export interface ContentChanges {
  /** Present in both, with another content, mode or type. */
  changed: readonly string[]
  /** Present, but not signed. */
  extra: readonly string[]
  /** Signed, but not present. */
  missing: readonly string[]
}

export function compareContent(
  signed: readonly ContentEntry[],
  found: readonly ContentEntry[],
): ContentChanges {
  const expected = new Map(signed.map((entry) => [entry.path, entry]))
  const present = new Set(found.map(({ path }) => path))
  const isSame = (a: ContentEntry, b: ContentEntry) =>
    a.mode === b.mode && a.size === b.size && a.sha256 === b.sha256
  return {
    changed: found
      .filter((entry) => {
        const before = expected.get(entry.path)
        return before !== undefined && !isSame(before, entry)
      })
      .map(({ path }) => path),
    extra: found.filter(({ path }) => !expected.has(path)).map(({ path }) => path),
    missing: signed.filter(({ path }) => !present.has(path)).map(({ path }) => path),
  }
}
