import { join } from 'node:path'
import { LOCK_FILE_NAME } from './lock-file.ts'

type Variables = Readonly<Record<string, string | undefined>>

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
  const agents = join(base, FOLDER)
  return { skills: join(agents, 'skills'), work: join(agents, '.skills-install') }
}

/** Path of an installed folder for messages. */
export function formatInstalledPath({ scope }: InstallPlaces, folder: string): string {
  return `${scope === 'user' ? '~/' : ''}${FOLDER}/skills/${folder}`
}
