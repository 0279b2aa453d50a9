import type { SnapshotRequest } from './snapshot-request.ts'

/** Folder of a skill that contains the snapshots of its cases, one folder for each suite. */
export const SNAPSHOTS_FOLDER = 'tests/snapshots'

/** Extension of a snapshot that waits for a review. */
export const PENDING_EXTENSION = '.new'

/** Names of snapshots that a case can choose. */
export const SNAPSHOT_NAME = /^(?!.*\.new$)[a-z0-9][a-z0-9._-]{0,99}$/i

const MAX_WORDS_LENGTH = 50

/** File name of a snapshot. */
export function nameSnapshot(
  caseName: string,
  { of, file = '', name = nameCase(caseName) }: SnapshotRequest,
): string {
  if (of === 'result') return `${name}.result.json`
  return `${name}.${of === 'file' ? nameFile(file) : of}.txt`
}

/** The words of a name in lower case, joined by hyphens. */
function nameCase(caseName: string): string {
  const words = caseName.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')
  const name = [...words]
    .slice(0, MAX_WORDS_LENGTH)
    .join('')
    .replaceAll(/^-+|-+$/g, '')
  return name === '' ? 'case' : name
}

function nameFile(path: string): string {
  return path
    .replaceAll(/[^\p{L}\p{N}.]+/gu, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(-MAX_WORDS_LENGTH)
}
