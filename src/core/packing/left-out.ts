/** Reasons for which a file stays out of archives. */
export type LeftOutReason =
  | 'tests'
  | 'version-control'
  | 'cache'
  | 'dependencies'
  | 'editor'
  | 'secrets'

/** Folders that `skills test` reads, at the root of a skill. */
const TESTS = /^(?:tests|evals)$/

/** Names at any depth. */
const NAMES: readonly (readonly [LeftOutReason, RegExp])[] = [
  [
    'version-control',
    /^(?:\.git|\.gitignore|\.gitattributes|\.gitmodules|\.gitkeep|\.hg|\.hgignore|\.svn|\.jj|\.bzr|CVS)$/,
  ],
  [
    'cache',
    /^(?:__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.hypothesis|\.cache|\.tox|\.nox|\.nyc_output|\.coverage|.*\.py[co])$/,
  ],
  ['dependencies', /^(?:node_modules|\.venv|venv|\.yarn|\.pnpm-store)$/],
  [
    'editor',
    /^(?:\.DS_Store|\._.*|__MACOSX|\.Spotlight-V100|\.Trashes|Thumbs\.db|desktop\.ini|\.idea|\.vscode|\.#.*|.*~|.*\.(?:swp|swo|orig|rej|bak))$/,
  ],
  ['secrets', /^\.env(?:\.(?!example$|sample$|template$).*)?$/],
]

/** True if a file stays out of archives, or a folder that it is in. */
export function isLeftOutOfArchives(path: string): boolean {
  const parts = path.split('/')
  return parts.some((_, at) => {
    const reason = findLeftOutReason(parts.slice(0, at + 1).join('/'))
    return reason !== undefined && (reason !== 'tests' || at + 1 < parts.length)
  })
}

/** The reason for which a path stays out of archives; undefined if it is packed. */
export function findLeftOutReason(path: string): LeftOutReason | undefined {
  if (TESTS.test(path)) return 'tests'
  const name = path.slice(path.lastIndexOf('/') + 1)
  return NAMES.find(([, pattern]) => pattern.test(name))?.[0]
}
