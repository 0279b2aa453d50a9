import { isAbsolute, join, relative } from 'node:path'

/** Locations of the code of a run on this machine. */
export interface CodeLocations {
  cwd: string
  /** Folders by the name of their skill; empty for skills of another machine. */
  folders: ReadonlyMap<string, string>
  /** File of submitted code. */
  codeName: string | undefined
}

/** Path in the sandbox of submitted code. */
const SUBMITTED = /^(?:<code>|.*\/submitted\/code\.[cm]?[jt]s)$/

/**
 * Path of a skill's file or of submitted code on this machine, relative to the current folder if it
 * is below. Undefined for other files, such as libraries.
 */
export function locateCode(path: string, locations: CodeLocations): string | undefined {
  const { cwd, folders, codeName } = locations
  if (SUBMITTED.test(path)) return codeName ?? '<code>'
  for (const [name, folder] of folders) {
    const prefix = `/skills/${name}/`
    const at = path.indexOf(prefix)
    if (at === -1 || path.includes('/node_modules/')) continue
    const file = path.slice(at + prefix.length)
    return folder === '' ? `${name}/${file}` : shortenPath(join(folder, file), cwd)
  }
  return undefined
}

function shortenPath(path: string, cwd: string): string {
  const short = relative(cwd, path)
  return short.startsWith('..') || isAbsolute(short) ? path : short
}

/** Replaces paths of the sandbox in a text that is not parsed. */
export function replaceSandboxPaths(text: string, locations: CodeLocations): string {
  return text
    .replaceAll(/(?:file:\/\/)?(?:\/[^\s"'():]+)+/g, (path) => {
      const bare = path.replace(/^file:\/\//, '')
      return locateCode(bare, locations) ?? path
    })
    .replaceAll('File "<code>"', `File "${locations.codeName ?? '<code>'}"`)
}

/** Name of a library's file: `urllib/request.py` of `/python/lib/python3.11/urllib/request.py`. */
export function shortenLibraryPath(path: string): string {
  return path.replace(
    /^.*\/(?:site-packages|dist-packages|node_modules|lib\/python3\.\d+|lib\/python3)\//,
    '',
  )
}
