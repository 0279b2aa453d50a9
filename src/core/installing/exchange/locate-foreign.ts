import { homedir } from 'node:os'
import { join } from 'node:path'
import { FOREIGN_FILES, type ForeignFormat } from './foreign-lock.ts'
import type { InstallPlaces } from '../install-places.ts'

/** The file that the other tool reads: of a project, or of the user. */
export function locateForeignLock(
  { scope, base }: InstallPlaces,
  env: Readonly<Record<string, string | undefined>>,
): string {
  if (scope === 'project') return join(base, FOREIGN_FILES['skills-lock'].name)
  const state = env['XDG_STATE_HOME']
  const { name } = FOREIGN_FILES['skill-lock']
  if (state) return join(state, 'skills', name)
  return join(env['HOME'] || homedir(), '.agents', name)
}

/** The format of that file. */
export function chooseFormat({ scope }: InstallPlaces): ForeignFormat {
  return scope === 'project' ? 'skills-lock' : 'skill-lock'
}
