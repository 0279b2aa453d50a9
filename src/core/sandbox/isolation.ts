import type { SandboxPath } from './warm/path.ts'

/** What can start a sandbox. */
export type BackendName = 'bubblewrap' | 'container' | 'process'

/** What was really applied, as the kernel reported it from inside. */
export interface Isolation {
  backend: BackendName
  /** What started the container, where it is one. */
  engine?: 'docker' | 'podman'
  /** `warm`: forked from a process that is kept for that; `cold`: started from nothing. */
  path: SandboxPath['path']
  /** Why it was that one. */
  reason: SandboxPath['reason']
  /** Weak where memory and processes are bounded for each process or user only; none: no sandbox. */
  tier: 'strict' | 'weak' | 'none'
  namespaces: readonly string[]
  /** The user id inside. */
  user: number
  seccomp: boolean
  /** `filtered`: the destinations of the skill's list; `host`: all that this machine reaches. */
  network: 'none' | 'filtered' | 'host'
  /** Folders of the host that a program was given, and how: where the kernel cannot, by a copy. */
  folders?: readonly { target: string; how: 'read-only' | 'read-write' | 'overlay' | 'copy' }[]
  /** Where each limit is enforced. */
  limits: Readonly<Record<string, string>>
}
