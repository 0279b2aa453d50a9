import type { PlainObject } from '../manifest/manifest.ts'
import type { SandboxRequest } from './backend.ts'
import type { GuestLimits } from './guest-limits.ts'

/** Where a run finds what is its own. */
export interface GuestFolders {
  skills: string
  blobs: string
  workspace: string
  tmp: string
}

/** Inside of a sandbox, the folders of every run have the same names. */
export const INSIDE: GuestFolders = {
  skills: '/skills',
  blobs: '/blobs',
  workspace: '/workspace',
  tmp: '/tmp',
}

/** What a backend adds to the job. */
export interface Surroundings {
  folders: GuestFolders
  /** Where packages are installed; null where the guest's interpreter has to say it. */
  packages: readonly string[] | null
  limits: GuestLimits
}

/** The job as the guest reads it. */
export function guestJob({ job }: SandboxRequest, around: Surroundings): PlainObject {
  return {
    ...job,
    folders: { ...around.folders },
    paths: around.packages && [...around.packages],
    limits: around.limits.values,
  }
}
