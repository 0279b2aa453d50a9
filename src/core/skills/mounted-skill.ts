import type { Manifest } from './manifest/manifest.ts'

/** A skill that a run mounts: its manifest, and its folder on this machine. */
export interface MountedSkill {
  manifest: Manifest
  dir: string
  /** Throws `skill/changed` if the folder differs from the state of the manifest. */
  requireUnchanged?: () => void
}
