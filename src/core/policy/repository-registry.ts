import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { findNearest } from '../../util/find-nearest.ts'
import type { Config, RepositorySetting } from '../config/config.ts'

/** A folder in which programs may run. */
export interface RegisteredRepository {
  name: string
  /** Absolute, links resolved; existed when it was resolved. */
  path: string
  mode: RepositorySetting['mode']
  /** `file:line` in the configuration. */
  place: string
}

/** The folders of `[repositories]`. */
export interface RepositoryRegistry {
  names(): readonly string[]
  /** Throws `repository/unknown`, or `repository/unusable` if its folder cannot be used. */
  find(name: string): RegisteredRepository
}

/** Checks a folder only when it is requested, so that a missing one does not affect others. */
export function openRepositoryRegistry(
  config: Pick<Config, 'repositories' | 'directories' | 'policy'>,
): RepositoryRegistry {
  const names = Object.keys(config.repositories)
  return {
    names: () => names,
    find(name) {
      const setting = names.includes(name) ? config.repositories[name] : undefined
      if (!setting) throw createUnknownRepositoryError(name, names)
      return resolveRepository(name, setting, config)
    },
  }
}

function resolveRepository(
  name: string,
  setting: RepositorySetting,
  config: Pick<Config, 'directories' | 'policy'>,
): RegisteredRepository {
  const { path: configuredPath, mode, place } = setting
  const path = tryRealpath(configuredPath)
  const problem = path === undefined ? 'does not exist' : describeUnusable(path, mode, config)
  if (path !== undefined && problem === undefined) return { name, path, mode, place }
  const message = `The repository "${name}" (${configuredPath}) ${problem}`
  throw new SkillsError('repository/unusable', message, {
    hint: `Correct repositories.${name} at ${place}`,
    data: { repository: name },
  })
}

function describeUnusable(
  path: string,
  mode: RepositorySetting['mode'],
  { directories, policy }: Pick<Config, 'directories' | 'policy'>,
): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return 'is not a folder'
  if (path === '/') return 'is the root of the file system'
  const store = tryRealpath(directories.data) ?? directories.data
  if (isInsideFolder(path, store)) return 'is inside the data directory'
  if (isInsideFolder(store, path)) return 'contains the data directory'
  const file = policy.file ?? policy.standardFile
  const holdsPolicy =
    file !== undefined && listPathsTo(file).some((each) => isInsideFolder(each, path))
  return holdsPolicy && mode === 'read-write'
    ? 'contains the policy, and runs may write to it'
    : undefined
}

/**
 * Lists the paths of a file and of all links on the way: changing any of them replaces the file.
 */
function listPathsTo(file: string): string[] {
  const paths = [file]
  for (let current = file; current !== dirname(current); current = dirname(current)) {
    const folder = tryRealpath(dirname(current))
    if (folder !== undefined) paths.push(join(folder, basename(current)))
  }
  const real = tryRealpath(file)
  return real === undefined ? paths : [...paths, real]
}

/**
 * Lists all repository folders, as configured and with links resolved: nothing in them is trusted.
 */
export function listRepositoryFolders({ repositories }: Pick<Config, 'repositories'>): string[] {
  const paths = Object.values(repositories).map(({ path }) => path)
  return [...new Set(paths.flatMap((path) => [path, tryRealpath(path) ?? path]))]
}

function isInsideFolder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

function tryRealpath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

function createUnknownRepositoryError(name: string, names: readonly string[]): SkillsError {
  const suggestion = findNearest(name, names)
  const registered = names.length === 0 ? 'none is registered' : `registered: ${names.join(', ')}`
  return new SkillsError('repository/unknown', `"${name}" is not a registered repository`, {
    hint:
      suggestion === undefined
        ? `Add it to [repositories] in skills.config.toml; ${registered}`
        : `Did you mean "${suggestion}"?`,
    data: { repository: name },
  })
}
