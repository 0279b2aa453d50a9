import type { KernelBounds } from './runs/kernels/kernels.ts'
import type { SharedSandboxBounds } from './runs/shared-sandbox/describe-end.ts'
import type { StoreLimits } from './storage/store-limits.ts'
import type { LiveSessionBounds } from './workspaces/sessions/live-sessions.ts'

/** Bounds of stores, and of what one process keeps alive. They are constants unless an embedding program sets them. */
export interface RuntimeBounds {
  /** Bounds of some stores, if not those that follow from `store.quota`. */
  stores?: Partial<Pick<StoreLimits, 'blobs' | 'outputs' | 'uploads'>> | undefined
  kernels?: Partial<KernelBounds> | undefined
  /** Interactive commands. */
  liveSessions?: Partial<LiveSessionBounds> | undefined
  /** Living sandboxes of sessions. */
  sharedSandboxes?: Partial<SharedSandboxBounds> | undefined
  /** Folders of sessions; beyond it the least recently used are removed. */
  maxWorkspaces?: number | undefined
}
