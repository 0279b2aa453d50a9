import { realpathSync } from 'node:fs'

/** Whether a real path lies in one of the folders that the operator names. */
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
