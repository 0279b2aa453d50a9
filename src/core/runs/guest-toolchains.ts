import type { HiddenFolder } from '../sandbox/backend.ts'

/** The user's toolchains in a run. Their packages are visible. */
export interface GuestToolchains {
  /** Files and folders with credentials. */
  hidden: readonly HiddenFolder[]
}
