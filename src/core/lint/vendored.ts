/** Folders of dependencies, caches and version control: not the author's text. */
export const CACHE_FOLDERS = ['__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache'] as const
export const VERSION_CONTROL_FOLDERS = ['.git', '.hg', '.svn'] as const
export const VENDORED_FOLDERS: ReadonlySet<string> = new Set([
  ...CACHE_FOLDERS,
  ...VERSION_CONTROL_FOLDERS,
  'node_modules',
  '.venv',
  'venv',
])

/** True for what lies inside such a folder; the folder itself is a finding of its own. */
export function isVendored(path: string): boolean {
  if (!path.includes('/')) return false
  return path
    .slice(0, path.lastIndexOf('/'))
    .split('/')
    .some((part) => VENDORED_FOLDERS.has(part))
}
