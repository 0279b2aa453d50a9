/** What can start a sandbox. */
export type BackendName = 'bubblewrap'

/** What was really applied, as the kernel reported it from inside. */
export interface Isolation {
  backend: BackendName
  /** Weak where memory and processes are bounded for each process or user only. */
  tier: 'strict' | 'weak'
  namespaces: readonly string[]
  /** The user id inside. */
  user: number
  seccomp: boolean
  network: 'none'
  /** Where each limit is enforced. */
  limits: Readonly<Record<string, string>>
}
