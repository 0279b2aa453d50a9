import { readFileSync } from 'node:fs'
import { DEFAULT_PATH, findProgram } from '../../../util/find-program.ts'
import type { LauncherName } from './launcher.ts'

/** Settings by which a kernel denies namespaces to ordinary users, with the denying value. */
const DENYING_SETTINGS = [
  ['kernel.apparmor_restrict_unprivileged_userns', '1'],
  ['kernel.unprivileged_userns_clone', '0'],
  ['user.max_user_namespaces', '0'],
] as const

/** Backend that `auto` selects on Linux, and the reason. */
export interface LauncherChoice {
  name: LauncherName
  reason: string
}

/**
 * Chooses the backend that needs no other program, or bubblewrap where a setting of the kernel
 * allows namespaces to that program only.
 */
export function chooseLinuxBackend(
  env: Readonly<Record<string, string | undefined>>,
  readSetting: (name: string) => string | undefined = readKernelSetting,
): LauncherChoice {
  const denied = process.getuid?.() === 0 ? undefined : findDenyingSetting(readSetting)
  if (denied === undefined) return { name: 'namespaces', reason: 'it needs no other program' }
  if (findProgram('bwrap', env['PATH'] ?? DEFAULT_PATH) !== undefined) {
    return { name: 'bubblewrap', reason: `${denied} denies namespaces to other programs` }
  }
  return { name: 'namespaces', reason: `${denied} may deny it, but bubblewrap is not installed` }
}

/** Returns the setting that denies namespaces to this user, such as `name = 1`. */
export function findDenyingSetting(
  readSetting: (name: string) => string | undefined = readKernelSetting,
): string | undefined {
  const denying = DENYING_SETTINGS.find(([name, value]) => readSetting(name) === value)
  return denying && denying.join(' = ')
}

export function readKernelSetting(name: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${name.replaceAll('.', '/')}`, 'utf8').trim()
  } catch {
    return undefined
  }
}
