import { join } from 'node:path'
import { KEPT_ENTRIES } from '../../languages/packages/package-folders.ts'
import type { HiddenFolder } from '../backend.ts'

/** Folders of the guest that are mounted over the packages of the host. */
export const EMPTY_COVER = 'covers/empty'
/** File of the guest that is mounted over the credentials of the host. */
export const EMPTY_FILE = 'covers/file'
/** The same for the settings of Maven, which must not be empty. */
export const EMPTY_SETTINGS = 'covers/settings.xml'
/** Files to create in the guest, with their content. */
export const COVER_FILES: readonly (readonly [name: string, text: string])[] = [
  [EMPTY_FILE, ''],
  [EMPTY_SETTINGS, '<settings/>\n'],
]
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

/** Plans read-only mounts of an empty folder or file; `guest` is the path of the guest. */
export function planCovers(hidden: readonly HiddenFolder[], guest: string): CoverMount[] {
  return hidden.flatMap((entry) => {
    const { target, kept } = entry
    const cover = join(guest, selectCover(entry))
    return [{ source: cover, target }, ...kept].map((each) => ({ kind: 'bind' as const, ...each }))
  })
}

function selectCover({ target, kept, isFile }: HiddenFolder): string {
  if (isFile === true) return target.endsWith('.xml') ? EMPTY_SETTINGS : EMPTY_FILE
  return kept.length === 0 ? EMPTY_COVER : COVER_WITH_ENTRIES
}
