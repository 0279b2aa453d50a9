import { readFileSync } from 'node:fs'
import { DEFAULT_PATH, findProgram } from '../../../util/find-program.ts'
import type { BackendName } from '../isolation.ts'

/** Settings that deny namespaces to ordinary users, with the denying value. */
const DENYING_SETTINGS = [
  // Profiles of AppArmor, or the set-user-ID bit, can allow them to bubblewrap.
  { name: 'kernel.apparmor_restrict_unprivileged_userns', value: '1', allowsBubblewrap: true },
  { name: 'kernel.unprivileged_userns_clone', value: '0', allowsBubblewrap: true },
  { name: 'user.max_user_namespaces', value: '0', allowsBubblewrap: false },
] as const

type DenyingSetting = (typeof DENYING_SETTINGS)[number]

/** Backend that `auto` selects on Linux, and the reason. */
export interface LauncherChoice {
  name: Extract<BackendName, 'namespaces' | 'bubblewrap'>
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
  const reason = `${formatSetting(denied)} denies namespaces to other programs`
  if (denied.allowsBubblewrap && findProgram('bwrap', env['PATH'] ?? DEFAULT_PATH) !== undefined) {
    return { name: 'bubblewrap', reason }
  }
  return { name: 'namespaces', reason: `although ${formatSetting(denied)} denies it` }
}

/** Finds the setting that denies namespaces to ordinary users. */
export function findDenyingSetting(
  readSetting: (name: string) => string | undefined = readKernelSetting,
): DenyingSetting | undefined {
  return DENYING_SETTINGS.find(({ name, value }) => readSetting(name) === value)
}

export function formatSetting({ name, value }: DenyingSetting): string {
  return `${name} = ${value}`
}

export function readKernelSetting(name: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${name.replaceAll('.', '/')}`, 'utf8').trim()
  } catch {
    return undefined
  }
}
