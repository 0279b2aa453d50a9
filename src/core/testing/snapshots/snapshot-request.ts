import type { ReplacerName } from './normalizers.ts'
import type { SnapshotPart } from './snapshot-text.ts'

/** A snapshot as a case asks for it. */
export interface SnapshotRequest {
  of: SnapshotPart | 'file'
  /** Path of the file below the workspace; undefined for parts of the record. */
  file: string | undefined
  /** Steps to a part of the result. */
  path: readonly (string | number)[] | undefined
  /** Chosen file name; undefined for that of the case. */
  name: string | undefined
  replace: readonly ReplacerName[]
  /** True to normalize nothing. */
  isExact: boolean
}
