import { lstatSync, realpathSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

export type Variables = Readonly<Record<string, string | undefined>>

/** Folders of one project, or of one user. */
export interface InstallPlaces {
  scope: 'project' | 'user'
  /** The project's folder, or the user's home folder. */
  base: string
  lock: string
  skills: string
  /** On the disk of `skills`, so that a rename is one step. */
  work: string
  /** Variables that move folders of agents in the user's home folder. */
  variables: Variables
}

const FOLDER = '.agents'

/** Name of the lock, next to skills.config.toml. */
const LOCK_FILE_NAME = 'skills.lock'

export function locateInstall(projectDir: string): InstallPlaces {
  return {
    scope: 'project',
    base: projectDir,
    lock: join(projectDir, LOCK_FILE_NAME),
    ...locateFolders(projectDir),
    variables: {},
  }
}

/** Folders for the skills of a user, in all projects. */
export function locateUserInstall(home: string, variables: Variables): InstallPlaces {
  return {
    scope: 'user',
    base: home,
    lock: join(home, FOLDER, LOCK_FILE_NAME),
    ...locateFolders(home),
    variables,
  }
}

function locateFolders(base: string): Pick<InstallPlaces, 'skills' | 'work'> {
  const agents = followInside(base, FOLDER)
  return { skills: join(agents, 'skills'), work: join(agents, '.skills-install') }
}

/**
 * Path of a folder, through a link that stays in the base folder, as for synchronised settings. A
 * link that leads elsewhere keeps its path, which is refused as a place of skills.
 */
function followInside(base: string, name: string): string {
  const path = join(base, name)
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path
  const inside = relative(realpathSync.native(base), realpathSync.native(path))
  const [first] = inside.split(sep)
  const isInside = first !== undefined && first !== '' && first !== '..' && first !== '.git'
  return isInside ? join(base, inside) : path
}

/** Path of an installed folder for messages. */
export function formatInstalledPath({ scope }: InstallPlaces, folder: string): string {
  return `${scope === 'user' ? '~/' : ''}${FOLDER}/skills/${folder}`
}
