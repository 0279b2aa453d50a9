import { readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { HiddenFolder } from '../../sandbox/backend.ts'
import { isBelow } from '../user-folders.ts'

/** Folders below a prefix that each contain `lib` and `share`. */
const PREFIXES = ['', 'local']
const LIBRARY_FOLDERS = ['lib', 'lib64', 'lib32']
const PYTHON_LIBRARY = /^(?:python|pypy)[\d.]*t?$/
const PYTHON_PACKAGES = ['site-packages', 'dist-packages']
const NODE_LIBRARY = /^(?:node|nodejs|node_modules(?:_\d+)?)$/
/** Programs that Node itself brings along. */
const NODE_PROGRAMS = ['npm', 'corepack']
/** Modules that Debian's Node loads from here when it starts. */
const NODE_PARTS = ['acorn', 'acorn-walk', 'cjs-module-lexer', 'undici', 'minimatch', 'amaro']
/** Entries of hidden folders that stay visible. */
export const KEPT_ENTRIES: readonly string[] = [...NODE_PROGRAMS, ...NODE_PARTS]
/** Other environments and the package cache of conda. */
const CONDA_FOLDERS = ['envs', 'pkgs']

interface Mount {
  source: string
  target: string
}

/** Finds the folders of installed Python and Node packages in mounts, by their paths inside. */
export function findHiddenFolders(mounts: readonly Mount[]): HiddenFolder[] {
  return mounts.flatMap(({ source, target }) => {
    const found = listCandidates(source).flatMap((path) => resolveInside(path, source) ?? [])
    return [...new Set(found)].map((path) => ({
      target: target + path.slice(source.length),
      kept: listKeptEntries(path, target + path.slice(source.length)),
    }))
  })
}

/** Lists the global folders of Node packages in mounts, by their paths on the host and inside. */
export function findNodeFolders(mounts: readonly Mount[]): Mount[] {
  return mounts.flatMap(({ source, target }) =>
    listLibraries(source)
      .flatMap(listNodeFolders)
      .flatMap((path) => resolveInside(path, source) ?? [])
      .map((path) => ({ source: path, target: target + path.slice(source.length) })),
  )
}

function listCandidates(root: string): string[] {
  const conda = listNames(join(root, 'conda-meta')).length > 0 ? CONDA_FOLDERS : []
  return [
    ...listLibraries(root).flatMap((library) => [
      ...listNames(library)
        .filter((name) => PYTHON_LIBRARY.test(name))
        .flatMap((name) => PYTHON_PACKAGES.map((each) => join(library, name, each))),
      ...listNodeFolders(library),
    ]),
    ...PREFIXES.map((prefix) => join(root, prefix, 'share/nodejs')),
    ...conda.map((name) => join(root, name)),
  ]
}

function listLibraries(root: string): string[] {
  return PREFIXES.flatMap((prefix) => LIBRARY_FOLDERS.map((name) => join(root, prefix, name)))
}

/** Debian also has a folder for each architecture. */
function listNodeFolders(library: string): string[] {
  const names = listNames(library)
  return [
    ...names.filter((name) => NODE_LIBRARY.test(name)).map((name) => join(library, name)),
    ...names
      .filter((name) => name.endsWith('-linux-gnu'))
      .map((name) => join(library, name, 'nodejs')),
  ]
}

function listKeptEntries(path: string, target: string): HiddenFolder['kept'] {
  return listNames(path)
    .filter((name) => KEPT_ENTRIES.includes(name))
    .map((name) => ({ source: join(path, name), target: join(target, name) }))
}

/** Resolves links; undefined for a path that is not a folder of the mount. */
function resolveInside(path: string, root: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined
  const real = realpathSync(path)
  return isBelow(real, root) ? real : undefined
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
