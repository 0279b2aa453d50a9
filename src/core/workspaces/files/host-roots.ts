import { realpathSync } from 'node:fs'

/** True if a real path is inside one of the operator's folders. */
export function isBelowAny(path: string, roots: readonly string[]): boolean {
  return roots
    .map(resolveRealPath)
    .some((root) => path === root || path.startsWith(root === '/' ? '/' : `${root}/`))
}

function resolveRealPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
