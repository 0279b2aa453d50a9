import type { BackendName } from './isolation.ts'
import { chooseLinuxBackend } from './linux/choose-launcher.ts'

/** Backend that `auto` selects, and the reason. */
export interface BackendChoice {
  name: BackendName
  reason: string
}

/** Chooses the backend: only Linux has namespaces; elsewhere a container engine has them. */
export function chooseBackend(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): BackendChoice {
  if (platform === 'linux') return chooseLinuxBackend(env)
  return { name: 'container', reason: 'only a container engine has a Linux kernel on this system' }
}
