import type { SandboxStart } from './warm/sandbox-start.ts'

/** Ways to start a sandbox. */
export type BackendName = 'namespaces' | 'bubblewrap' | 'container' | 'process'

/** Isolation that was applied, as the kernel reported it from inside. */
export interface Isolation {
  backend: BackendName
  /** Engine of a container. */
  engine?: 'docker' | 'podman'
  /** `warm`: forked from a zygote; `cold`: started on its own. */
  path: SandboxStart['path']
  /** Reason for this path. */
  reason: SandboxStart['reason']
  /** `weak`: no control group limits memory and processes. `none`: no sandbox. */
  tier: 'strict' | 'weak' | 'none'
  namespaces: readonly string[]
  /** User id inside. */
  user: number
  seccomp: boolean
  /**
   * `filtered`: the destinations of the skill's list. `host`: everything this machine can reach.
   */
  network: 'none' | 'filtered' | 'host'
  /** Host folders and their modes; `copy` if the kernel cannot mount a folder as requested. */
  folders?: readonly { target: string; how: 'read-only' | 'read-write' | 'overlay' | 'copy' }[]
  /** Present if the run could use the packages that are installed on this machine. */
  host_packages?: true
  /** Mechanism that enforces each limit. */
  limits: Readonly<Record<string, string>>
}
