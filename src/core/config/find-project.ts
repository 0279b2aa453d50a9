import { readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const CONFIG_FILE = 'skills.config.toml'

/** The folder that configuration and skills belong to, and its configuration file where it has one. */
export interface Project {
  dir: string
  file: string | undefined
}

/**
 * The project of a working directory. The nearest `skills.config.toml` upwards decides; without one
 * the nearest folder with `.git` or with a `skills` folder that holds a skill; else the directory
 * itself. What lies in a shared folder such as /tmp counts only from that folder itself.
 */
export function findProject(cwd: string, home: string): Project {
  const start = resolve(cwd)
  const folders = [start, ...parentsOf(start).filter((dir) => !isPublic(dir))]
  const configured = folders.find((dir) => isFile(join(dir, CONFIG_FILE)))
  if (configured !== undefined) return { dir: configured, file: join(configured, CONFIG_FILE) }
  // Dotfiles kept in git and a ~/skills folder do not make a project of all that a person has.
  const below = [start, ...folders.slice(1).filter((dir) => !contains(dir, home) && dir !== '/')]
  const dir = below.find((each) => isThere(join(each, '.git')) || holdsSkills(join(each, 'skills')))
  return { dir: dir ?? start, file: undefined }
}

function parentsOf(dir: string): string[] {
  const parent = dirname(dir)
  return parent === dir ? [] : [parent, ...parentsOf(parent)]
}

function contains(dir: string, path: string): boolean {
  return path === dir || path.startsWith(`${dir}/`)
}

/** Like /tmp: anybody may put a file there, for others to find. */
function isPublic(dir: string): boolean {
  return ((stat(dir)?.mode ?? 0) & 0o1002) === 0o1002
}

/** Folders that are looked into before a tree counts as one without skills. */
const MAX_LOOKS = 200

/** Depth first, for the first skill is all that is asked for. */
function holdsSkills(root: string): boolean {
  if (stat(root)?.isDirectory() !== true) return false
  const pending = [root]
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const dir = pending.pop()
    if (dir === undefined) return false
    const names = namesIn(dir)
    if (names.some(({ name }) => name === 'skill.toml' || name === 'SKILL.md')) return true
    for (const entry of names) {
      if (entry.isDirectory() && !entry.name.startsWith('.')) pending.push(join(dir, entry.name))
    }
  }
  return false
}

function namesIn(dir: string) {
  try {
    return readdirSync(dir, { withFileTypes: true })
  } catch {
    return []
  }
}

function isFile(path: string): boolean {
  return stat(path)?.isFile() === true
}

function isThere(path: string): boolean {
  return stat(path) !== undefined
}

function stat(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
