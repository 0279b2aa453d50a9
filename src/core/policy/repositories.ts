import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { findNearest } from '../../util/find-nearest.ts'
import type { Config, RepositorySetting } from '../config/config.ts'

/** A folder that programs may be run in. */
export interface RegisteredRepository {
  name: string
  /** Absolute, links resolved; it was there a moment ago. */
  path: string
  mode: RepositorySetting['mode']
  /** `file:line` of the configuration. */
  place: string
}

/** The folders of `[repositories]`. */
export interface Repositories {
  names(): readonly string[]
  /** Throws `repository/unknown`, and `repository/unusable` where its folder is none to run in. */
  find(name: string): RegisteredRepository
}

/** Looks at a folder when it is asked for, and not before: one that is missing hinders no other. */
export function openRepositories(
  config: Pick<Config, 'repositories' | 'directories' | 'policy'>,
): Repositories {
  const names = Object.keys(config.repositories)
  return {
    names: () => names,
    find(name) {
      const setting = names.includes(name) ? config.repositories[name] : undefined
      if (!setting) throw unknown(name, names)
      return register(name, setting, config)
    },
  }
}

function register(
  name: string,
  setting: RepositorySetting,
  config: Pick<Config, 'directories' | 'policy'>,
): RegisteredRepository {
  const { path: given, mode, place } = setting
  const path = realpathOf(given)
  const problem = path === undefined ? 'is not there' : whyUnusable(path, mode, config)
  if (path !== undefined && problem === undefined) return { name, path, mode, place }
  const message = `The repository "${name}" (${given}) ${problem}`
  throw new SkillsError('repository/unusable', message, {
    hint: `Correct repositories.${name} at ${place}`,
    data: { repository: name },
  })
}

function whyUnusable(
  path: string,
  mode: RepositorySetting['mode'],
  { directories, policy }: Pick<Config, 'directories' | 'policy'>,
): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return 'is no folder'
  if (path === '/') return 'is the whole machine'
  const store = realpathOf(directories.data) ?? directories.data
  if (isWithin(path, store)) return 'lies inside of the data directory'
  if (isWithin(store, path)) return 'holds the data directory'
  const file = policy.file ?? policy.standardFile
  const holdsPolicy = file !== undefined && placesOf(file).some((each) => isWithin(each, path))
  return holdsPolicy && mode === 'read-write'
    ? 'holds the policy, and runs may write to it'
    : undefined
}

/** Where a file is, and every link by which it is found: who changes one puts another in its place. */
function placesOf(file: string): string[] {
  const places = [file]
  for (let at = file; at !== dirname(at); at = dirname(at)) {
    const folder = realpathOf(dirname(at))
    if (folder !== undefined) places.push(join(folder, basename(at)))
  }
  const real = realpathOf(file)
  return real === undefined ? places : [...places, real]
}

/** All folders that are worked on, as they are named and where they lead: nothing in them is trusted. */
export function repositoryFolders({ repositories }: Pick<Config, 'repositories'>): string[] {
  const paths = Object.values(repositories).map(({ path }) => path)
  return [...new Set(paths.flatMap((path) => [path, realpathOf(path) ?? path]))]
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

function realpathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

function unknown(name: string, names: readonly string[]): SkillsError {
  const meant = findNearest(name, names)
  const known = names.length === 0 ? 'none is registered' : `there are ${names.join(', ')}`
  return new SkillsError('repository/unknown', `No repository is named "${name}"`, {
    hint:
      meant === undefined
        ? `Name it under [repositories] in skills.config.toml: ${known}`
        : `Did you mean "${meant}"?`,
    data: { repository: name },
  })
}
