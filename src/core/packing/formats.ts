import { comparePaths } from '../skills/content/content-manifest.ts'
import { SkillsError } from '../../errors.ts'
import type { PackedFile } from './packed-file.ts'
import { findPathConflict } from './path-problems.ts'
import { writeTarGz } from './write/write-tar.ts'
import { writeZip } from './write/write-zip.ts'

interface ArchiveFormat {
  /** With its dot. */
  extension: string
  /** True if the files are in a folder with the name of the skill. */
  hasFolder: boolean
  write(files: readonly PackedFile[]): Promise<Uint8Array>
}

/** All formats that `skills pack` writes. */
const FORMATS = {
  'tar.gz': { extension: '.tar.gz', hasFolder: false, write: writeTarGz },
  zip: { extension: '.zip', hasFolder: false, write: writeZip },
  skill: { extension: '.skill', hasFolder: true, write: writeZip },
  oci: { extension: '.oci.tar.gz', hasFolder: true, write: writeTarGz },
} as const satisfies Record<string, ArchiveFormat>

export type ArchiveFormatName = keyof typeof FORMATS

export const FORMAT_NAMES = Object.keys(FORMATS) as readonly ArchiveFormatName[]

/** The end of the names of archives of a format, with its dot. */
export function getExtension(format: ArchiveFormatName): string {
  return FORMATS[format].extension
}

/**
 * Writes files as an archive: equal files give equal bytes, on every machine. `folder` is the name
 * of the folder in archives that have one.
 */
export async function writeArchive(
  format: ArchiveFormatName,
  files: readonly PackedFile[],
  { folder }: { folder: string },
): Promise<Uint8Array> {
  const { hasFolder, write } = FORMATS[format]
  const named = hasFolder
    ? files.map((file) => ({ ...file, path: `${folder}/${file.path}` }))
    : files
  const sorted = named.toSorted((a, b) => comparePaths(a.path, b.path))
  const conflict = findPathConflict(sorted.map(({ path }) => path))
  if (!conflict) return await write(sorted)
  const { path, problem } = conflict
  throw new SkillsError(
    'skill/invalid',
    `Cannot pack the skill: ${JSON.stringify(path)} ${problem}`,
    {
      hint: 'Rename the file, and try again',
      data: { path },
    },
  )
}
