/** Folders of dependencies, caches and version control: not written by the author. */
export const CACHE_FOLDERS = ['__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache'] as const
export const VERSION_CONTROL_FOLDERS = ['.git', '.hg', '.svn'] as const
export const VENDORED_FOLDERS: ReadonlySet<string> = new Set([
  ...CACHE_FOLDERS,
  ...VERSION_CONTROL_FOLDERS,
  'node_modules',
  '.venv',
  'venv',
])

/** True for paths inside such a folder; the folder itself has a finding of its own. */
export function isVendored(path: string): boolean {
  if (!path.includes('/')) return false
  for (let start = 0, end = path.indexOf('/'); end !== -1; end = path.indexOf('/', start)) {
    if (VENDORED_FOLDERS.has(path.slice(start, end))) return true
    start = end + 1
  }
  return false
}
