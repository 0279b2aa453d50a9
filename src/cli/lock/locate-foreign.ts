import { homedir } from 'node:os'
import { join } from 'node:path'
import { FOREIGN_FILES, type ForeignFormat } from '../../core/installing/exchange/foreign-lock.ts'
import type { InstallPlaces } from '../../core/installing/install-places.ts'
import type { Context } from '../context.ts'

/** The file that the other tool reads: of a project, or of the user. */
export function locateForeignLock(
  { env }: Pick<Context, 'env'>,
  { scope, base }: InstallPlaces,
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
