import { hash } from 'node:crypto'
import type { ContentEntry } from '../skills/content/content-manifest.ts'

/** A regular file of an archive. Archives have no links. */
export interface PackedFile {
  /** Relative to the skill, in Unicode form NFC, with forward slashes. */
  path: string
  isExecutable: boolean
  bytes: Uint8Array
}

/** The files as entries of a content manifest. */
export function describeFiles(files: readonly PackedFile[]): ContentEntry[] {
  return files.map(({ path, isExecutable, bytes }) => ({
    path,
    mode: isExecutable ? '100755' : '100644',
    size: bytes.length,
    sha256: hash('sha256', bytes),
  }))
}
