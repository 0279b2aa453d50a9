import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import type { InstallPlaces } from '../install-places.ts'
import { USER_FOLDERS, type AgentDefinition } from './agent-table.ts'

/** The folder in which an agent of this scope looks for skills; undefined if it reads the shared one. */
export function resolveAgentFolder(
  places: InstallPlaces,
  agent: AgentDefinition,
): string | undefined {
  const folder = places.scope === 'user' ? agent.user : agent.project
  if (folder === undefined) return undefined
  const { root, path } =
    places.scope === 'user'
      ? resolveUserFolder(places.base, places.variables, folder)
      : { root: places.base, path: join(places.base, folder) }
  const real = resolveLinks(path)
  // The agent's folder is a link to the shared one.
  if (real !== undefined && real === resolveLinks(places.skills)) return undefined
  if (real === undefined || !isAllowed(places, { root, path, real })) throw outsideError(path)
  if (lstatSync(real, { throwIfNoEntry: false })?.isDirectory() === false) throw outsideError(path)
  return real
}

/** Path of a folder in the notation of the table: `$CONFIG/amp`. */
export function resolveUserFolder(
  home: string,
  variables: InstallPlaces['variables'],
  text: string,
): { root: string; path: string } {
  const [first = '', ...rest] = text.split('/')
  const { variable, path } = USER_FOLDERS[first as keyof typeof USER_FOLDERS]
  const moved = variable === undefined ? undefined : variables[variable]
  const isMoved = moved !== undefined && isAbsolute(moved)
  return isMoved
    ? { root: moved, path: join(moved, ...rest) }
    : { root: home, path: join(home, path, ...rest) }
}

interface FoundFolder {
  root: string
  path: string
  real: string
}

/**
 * A project comes from others: no folder of it may be a link. Users link folders of their home, but
 * not to a place outside of it.
 */
function isAllowed({ scope }: InstallPlaces, { root, path, real }: FoundFolder): boolean {
  const realRoot = resolveLinks(root)
  if (realRoot === undefined) return false
  if (scope === 'project') return real === join(realRoot, relative(root, path))
  return real.startsWith(join(realRoot, '/'))
}

/** Resolves the links of a path, whose last folders may be missing; undefined for a broken link. */
function resolveLinks(path: string): string | undefined {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })) return realpathSync.native(path)
  } catch {
    return undefined
  }
  const parent = dirname(path)
  if (parent === path) return path
  const real = resolveLinks(parent)
  return real === undefined ? undefined : join(real, basename(path))
}

function outsideError(path: string): SkillsError {
  return new SkillsError(
    'file/outside',
    `"${path}" is a link or a file, and skills are not installed through links`,
    { hint: 'Replace it by a folder, or omit the agent' },
  )
}
