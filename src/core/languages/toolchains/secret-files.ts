import { readdirSync, statSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import { isBelow, resolveLinks } from '../user-folders.ts'

/** Names of files and folders that hold credentials, in whatever folder they are. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  '.aws',
  '.azure',
  '.cargo-credentials.tsv',
  '.condarc',
  '.docker',
  '.git-credentials',
  '.gnupg',
  '.kube',
  '.mambarc',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.ssh',
  '.vault-token',
  '.yarnrc',
  '.yarnrc.yml',
  '_netrc',
  'auth.json',
  'auth.toml',
  'condarc',
  'condarc.d',
  'credentials',
  'credentials.json',
  'credentials.toml',
  'gradle.properties',
  'id_dsa',
  'id_ecdsa',
  'id_ed25519',
  'id_rsa',
  'netrc',
  'npmrc',
  'pip.conf',
  'pip.ini',
  'settings-security.xml',
])

/** The same names, below the user's home folder and the folders that variables name. */
const SECRET_PATHS: readonly (readonly [variable: string, fallback: string, path: string])[] = [
  ['CARGO_HOME', '.cargo', 'config'],
  ['CARGO_HOME', '.cargo', 'config.toml'],
  ['CARGO_HOME', '.cargo', 'credentials'],
  ['CARGO_HOME', '.cargo', 'credentials.toml'],
  ['GRADLE_USER_HOME', '.gradle', 'gradle.properties'],
  ['GRADLE_USER_HOME', '.gradle', 'init.gradle'],
  ['GRADLE_USER_HOME', '.gradle', 'init.gradle.kts'],
  ['GRADLE_USER_HOME', '.gradle', 'init.d'],
  ['HOME', '', '.bundle/config'],
  ['HOME', '', '.gem/credentials'],
  ['HOME', '', '.m2/settings.xml'],
  ['HOME', '', '.m2/settings-security.xml'],
  ['HOME', '', '.npmrc'],
  ['HOME', '', '.netrc'],
  ['HOME', '', '.pip'],
  ['HOME', '', '.npm/_logs'],
  ['XDG_CONFIG_HOME', '.config', ''],
  ['CONDARC', '.condarc', ''],
  ['CONDA_PREFIX', '.conda', '.condarc'],
  ['MAMBARC', '.mambarc', ''],
  ['NETRC', '.netrc', ''],
  ['NPM_CONFIG_USERCONFIG', '.npmrc', ''],
  ['npm_config_userconfig', '.npmrc', ''],
  ['PIP_CONFIG_FILE', '.config/pip/pip.conf', ''],
  ['XDG_DATA_HOME', '.local/share', 'skills'],
]

/** Levels of folders that are searched for names: tools keep their settings near the top. */
const MAX_DEPTH = 2
const MAX_FOLDERS = 2000

/** Lists the folders and files with the user's credentials, as far as their places are known. */
export function listSecretPaths(env: Readonly<Record<string, string | undefined>>): string[] {
  const home = env['HOME'] ?? ''
  const paths = SECRET_PATHS.flatMap(([variable, fallback, path]) => [
    join(home, fallback, path),
    ...(env[variable]?.startsWith('/') ? [join(env[variable], path)] : []),
  ])
  const named = [...SECRET_NAMES].map((name) => join(home, name))
  const absolute = [...paths, ...named].filter((path) => path.startsWith('/') && path !== '/')
  return [...new Set(absolute.flatMap((path) => [path, resolveLinks(path)]))]
}

/** True if a folder is, or is in, one that holds credentials. */
export function isInSecretFolder(folder: string, secretPaths: readonly string[]): boolean {
  return secretPaths.some((path) => isBelow(folder, path))
}

/**
 * Finds files and folders with credentials in a folder, links resolved: those of known places, and
 * those of known names near the top.
 */
export function findSecrets(folder: string, secretPaths: readonly string[]): string[] {
  const found = new Set(
    secretPaths.filter((path) => path !== folder && isBelow(path, folder) && exists(path)),
  )
  let remaining = MAX_FOLDERS
  const search = (path: string, depth: number): void => {
    remaining -= 1
    for (const entry of listFolderEntries(path)) {
      const here = join(path, entry.name)
      if (SECRET_NAMES.has(entry.name)) addInside(here)
      else if (entry.isDirectory() && depth < MAX_DEPTH && remaining > 0) search(here, depth + 1)
    }
  }
  const addInside = (path: string): void => {
    const real = resolveLinks(path)
    if (isBelow(real, folder) && exists(real)) found.add(real)
  }
  search(folder, 1)
  return [...found]
}

function listFolderEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
