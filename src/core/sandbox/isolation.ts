import type { SandboxStart } from './warm/sandbox-start.ts'

/** Ways to start a sandbox. */
export type BackendName = 'namespaces' | 'bubblewrap' | 'container' | 'process'

/** Isolation that was applied, as the kernel reported it from inside. */
export interface Isolation {
  /** `executor`: one of the application. */
  backend: BackendName | 'executor'
  /** Name of the application's executor, by whose claims its isolation is described. */
  executor?: string
  /** Engine of a container. */
  engine?: 'docker' | 'podman'
  /** Kernel that serves the system calls of the run, if that is not the host's. */
  kernel?: 'gvisor'
  /** `warm`: forked from a zygote; `cold`: started on its own. */
  path: SandboxStart['path']
  /** Reason for this path. */
  reason: SandboxStart['reason']
  /**
   * `shared`: the address-space layout, `AT_RANDOM` and the seed of hashes are those of the zygote
   * and of its other forks. `own`: no other run has them.
   */
  memory_layout: 'own' | 'shared'
  /** `weak`: no control group limits memory and processes. `none`: no sandbox. */
  tier: 'strict' | 'weak' | 'none'
  namespaces: readonly string[]
  /** User id inside. */
  user: number
  seccomp: boolean
  /** True if files outside of the root stay closed even if a descriptor or a mount leads there. */
  landlock: boolean
  /**
   * `filtered`: the destinations of the skill's list. `host`: everything this machine can reach.
   */
  network: 'none' | 'filtered' | 'host'
  /** Host folders and their modes; `copy` if the kernel cannot mount a folder as requested. */
  folders?: readonly { target: string; how: 'read-only' | 'read-write' | 'overlay' | 'copy' }[]
  /**
   * Folders of the host whose Unix sockets and named pipes lead to programs of the host. Absent if
   * there is none.
   */
  host_sockets?: readonly string[]
  /** Present if the run could use the packages that are installed on this machine. */
  host_packages?: true
  /** Mechanism that enforces each limit. */
  limits: Readonly<Record<string, string>>
}
