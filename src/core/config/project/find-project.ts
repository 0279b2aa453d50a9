import { readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isSearchedFolder, PROJECT_SKILL_FOLDERS } from '../../../util/searched-folders.ts'

export const CONFIG_FILE_NAME = 'skills.config.toml'

const SKILL_FILES: readonly string[] = ['skill.toml', 'SKILL.md']

/** The folder of a project's configuration and skills, and its configuration file if present. */
export interface Project {
  dir: string
  file: string | undefined
}

/**
 * Finds the project of a working directory. The nearest `skills.config.toml` upwards decides;
 * without one, the nearest folder with `.git` or with a `skills` folder that contains a skill; else
 * the directory itself. Files in a shared folder such as /tmp count only in that folder itself. A
 * configuration file in a folder of a skill, or below one, is content of the skill: it is not read.
 */
export function findProject(cwd: string, home: string): Project {
  const start = resolve(cwd)
  const folders = listFoldersUpwards(start)
  const configured = folders
    .slice(folders.findLastIndex(isSkillFolder) + 1)
    .find((dir) => isRegularFile(join(dir, CONFIG_FILE_NAME)))
  if (configured !== undefined) return { dir: configured, file: join(configured, CONFIG_FILE_NAME) }
  // Dotfiles in git or a ~/skills folder must not turn the whole home folder into a project.
  const below = [
    start,
    ...folders.slice(1).filter((dir) => !containsPath(dir, home) && dir !== '/'),
  ]
  const dir = below.find(
    (each) =>
      canStat(join(each, '.git')) ||
      PROJECT_SKILL_FOLDERS.some((folder) => holdsSkills(join(each, folder))),
  )
  return { dir: dir ?? start, file: undefined }
}

/** True for a folder of a skill, and for those below it. */
export function isInSkill(dir: string): boolean {
  return listFoldersUpwards(resolve(dir)).some(isSkillFolder)
}

function listFoldersUpwards(start: string): string[] {
  return [start, ...listParents(start).filter((dir) => !isPublicFolder(dir))]
}

function isSkillFolder(dir: string): boolean {
  return SKILL_FILES.some((name) => canStat(join(dir, name)))
}

function listParents(dir: string): string[] {
  const parent = dirname(dir)
  return parent === dir ? [] : [parent, ...listParents(parent)]
}

function containsPath(dir: string, path: string): boolean {
  return path === dir || path.startsWith(`${dir}/`)
}

/** World-writable like /tmp: another user may have put a file there. */
function isPublicFolder(dir: string): boolean {
  return ((statOptional(dir)?.mode ?? 0) & 0o1002) === 0o1002
}

/** Folders searched before a tree counts as one without skills. */
const MAX_SEARCHED_FOLDERS = 200

/** Depth first, since one skill is enough. */
function holdsSkills(root: string): boolean {
  if (statOptional(root)?.isDirectory() !== true) return false
  const pending = [root]
  for (let looks = 0; looks < MAX_SEARCHED_FOLDERS; looks++) {
    const dir = pending.pop()
    if (dir === undefined) return false
    const names = readFolderNames(dir)
    if (names.some(({ name }) => SKILL_FILES.includes(name))) return true
    for (const entry of names) {
      if (entry.isDirectory() && isSearchedFolder(entry.name)) pending.push(join(dir, entry.name))
    }
  }
  return false
}

function readFolderNames(dir: string) {
  try {
    return readdirSync(dir, { withFileTypes: true })
  } catch {
    return []
  }
}

function isRegularFile(path: string): boolean {
  return statOptional(path)?.isFile() === true
}

function canStat(path: string): boolean {
  return statOptional(path) !== undefined
}

function statOptional(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
