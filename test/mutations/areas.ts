/** Smaller folders share one area with the other small ones beside them. */
const MIN_FILES = 25

/** Groups source files by the folders of `src/` and of `src/core/`. */
export function groupByArea(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const folders = groupBy(files, findFolder)
  return groupBy(files, (file) => {
    const folder = findFolder(file)
    if ((folders.get(folder)?.length ?? 0) >= MIN_FILES) return folder
    return folder.startsWith('core/') ? 'core' : 'src'
  })
}

/** `cli` for `src/cli/lint/format.ts`, `core/audit` for `src/core/audit/head.ts`. */
function findFolder(file: string): string {
  const folders = file.split('/').slice(1, -1)
  return folders[0] === 'core' ? `core/${folders[1] ?? ''}` : (folders[0] ?? '')
}

function groupBy(files: readonly string[], findKey: (file: string) => string) {
  const groups = new Map<string, string[]>()
  for (const file of files.toSorted()) {
    const key = findKey(file)
    groups.set(key, [...(groups.get(key) ?? []), file])
  }
  return groups
}
