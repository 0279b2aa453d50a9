import { join } from 'node:path'
import { KEPT_ENTRIES } from '../../languages/packages/package-folders.ts'
import type { HiddenFolder } from '../backend.ts'

/** Folders of the guest that are mounted over the packages of the host. */
export const EMPTY_COVER = 'covers/empty'
/** Contains the mount points of the entries that stay visible. */
const COVER_WITH_ENTRIES = 'covers/entries'

/** Folders to create in the guest, outermost first. */
export const COVER_FOLDERS: readonly string[] = [
  'covers',
  EMPTY_COVER,
  COVER_WITH_ENTRIES,
  ...KEPT_ENTRIES.map((name) => `${COVER_WITH_ENTRIES}/${name}`),
]

interface CoverMount {
  kind: 'bind'
  source: string
  target: string
}

/** Plans read-only mounts of an empty folder over folders; `guest` is the path of the guest. */
export function planCovers(hidden: readonly HiddenFolder[], guest: string): CoverMount[] {
  return hidden.flatMap(({ target, kept }) => {
    const cover = join(guest, kept.length === 0 ? EMPTY_COVER : COVER_WITH_ENTRIES)
    return [{ source: cover, target }, ...kept].map((each) => ({ kind: 'bind' as const, ...each }))
  })
}
