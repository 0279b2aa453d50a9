import { realpathSync, statSync } from 'node:fs'
import { SkillsError } from '../../errors.ts'
import { nearest } from '../../util/nearest.ts'
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
  config: Pick<Config, 'repositories' | 'directories'>,
): Repositories {
  const names = Object.keys(config.repositories)
  return {
    names: () => names,
    find(name) {
      const setting = names.includes(name) ? config.repositories[name] : undefined
      if (!setting) throw unknown(name, names)
      return register(name, setting, config.directories.data)
    },
  }
}

function register(name: string, setting: RepositorySetting, data: string): RegisteredRepository {
  const { path: given, mode, place } = setting
  const unusable = (why: string) =>
    new SkillsError('repository/unusable', `The repository "${name}" (${given}) ${why}`, {
      hint: `Correct repositories.${name} at ${place}`,
      data: { repository: name },
    })
  const path = realpathOf(given)
  if (path === undefined) throw unusable('is not there')
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw unusable('is no folder')
  }
  if (path === '/') throw unusable('is the whole machine')
  const store = realpathOf(data) ?? data
  if (isWithin(path, store)) throw unusable('lies inside of the data directory')
  if (isWithin(store, path)) throw unusable('holds the data directory')
  return { name, path, mode, place }
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
  const meant = nearest(name, names)
  const known = names.length === 0 ? 'none is registered' : `there are ${names.join(', ')}`
  return new SkillsError('repository/unknown', `No repository is named "${name}"`, {
    hint:
      meant === undefined
        ? `Name it under [repositories] in skills.config.toml: ${known}`
        : `Did you mean "${meant}"?`,
    data: { repository: name },
  })
}
