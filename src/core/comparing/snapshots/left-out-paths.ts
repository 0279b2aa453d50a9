import { CACHE_FOLDERS, VERSION_CONTROL_FOLDERS } from '../../lint/vendored.ts'

const LEFT_OUT: ReadonlySet<string> = new Set([...CACHE_FOLDERS, ...VERSION_CONTROL_FOLDERS])
const VENDORED = /(?:^|\/)(?:node_modules|\.venv|venv)\//

/** True for files of version control and caches, which no installed skill has. */
export function isLeftOutPath(path: string): boolean {
  return path.split('/').some((part) => LEFT_OUT.has(part))
}

/** The folder of installed packages that a path belongs to, such as `node_modules`. */
export function findVendoredFolder(path: string): string | undefined {
  const found = VENDORED.exec(path)
  return found ? path.slice(0, found.index + found[0].length - 1) : undefined
}
