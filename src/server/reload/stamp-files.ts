import { statSync } from 'node:fs'

/** A text that differs after a change of these files; links are followed. */
export function stampFollowed(paths: readonly (string | undefined)[]): string {
  return paths.map((path) => (path === undefined ? '-' : stampFile(path))).join('\n')
}

function stampFile(path: string): string {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (!stat) return 'missing'
    const { dev, ino, size, mode, uid, ctimeNs } = stat
    return [dev, ino, size, mode, uid, ctimeNs].join(' ')
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}
