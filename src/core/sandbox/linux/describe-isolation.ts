import { release } from 'node:os'
import type { Isolation } from '../isolation.ts'
import type { ReadyGuest } from '../guest-host/control-channel.ts'
import { describeNetworkLimit } from '../network-limit.ts'
import type { LauncherName } from './launcher.ts'
import type { ColdReason } from '../warm/sandbox-start.ts'

/** Describes the isolation of a cold run, for its result and its record. */
export function describeColdIsolation(
  inside: Pick<ReadyGuest, 'uid' | 'own_users' | 'landlock'>,
  details: {
    backend: LauncherName
    asRoot: boolean
    reason: ColdReason
    where: Record<string, string>
    network: Isolation['network']
    folders: Isolation['folders']
    /** Folders whose sockets a run can reach. */
    reachable: readonly string[]
  },
): Isolation {
  const { backend, asRoot, reason, where, network, folders, reachable } = details
  const shared = ['mount', 'pid', 'network', 'ipc', 'uts', 'cgroup']
  return {
    backend,
    path: 'cold',
    reason,
    memory_layout: 'own',
    tier: where['memory']?.startsWith('cgroup') ? 'strict' : 'weak',
    namespaces: asRoot && inside.own_users !== true ? shared : ['user', ...shared],
    user: inside.uid,
    seccomp: true,
    landlock: inside.landlock === true,
    network,
    ...(folders && { folders }),
    ...(reachable.length > 0 && { host_sockets: reachable }),
    limits: { ...where, ...describeNetworkLimit(network) },
  }
}

/** Since Linux 5.14, processes are counted per user namespace instead of per user of the host. */
export function kernelCountsByNamespace(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return major > 5 || (major === 5 && minor >= 14)
}
