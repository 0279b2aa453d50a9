import { createHash } from 'node:crypto'
import { isText } from '../../../util/mime.ts'
import { sortKeys } from '../document/sort-keys.ts'
import type { Plain } from '../../skills/manifest/manifest.ts'
import type { CaseRecord } from '../expectations/case-record.ts'

/** Parts of a record that a snapshot can keep. */
export const SNAPSHOT_PARTS = [
  'result',
  'error',
  'stdout',
  'stderr',
  'logs',
  'files',
  'transcript',
] as const

export type SnapshotPart = (typeof SNAPSHOT_PARTS)[number]

/** Replaces values of a text that differ from run to run. */
export type TextNormalizer = (text: string) => string

/** JSON with sorted keys, whose texts are normalized. */
export function formatJsonSnapshot(value: Plain, normalize: TextNormalizer): string {
  return `${JSON.stringify(sortKeys(normalizeValue(value, normalize)), null, 2)}\n`
}

function normalizeValue(value: Plain, normalize: TextNormalizer): Plain {
  if (typeof value === 'string') return normalize(value)
  if (Array.isArray(value)) return value.map((each) => normalizeValue(each, normalize))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [normalize(key), normalizeValue(each, normalize)]),
  )
}

/** A file as it is if it is text; a binary file by its size and digest. */
export function formatFileSnapshot(bytes: Buffer, normalize: TextNormalizer): string {
  return isText(bytes) ? normalize(bytes.toString('utf8')) : `${describeBinary(bytes)}\n`
}

function describeBinary(bytes: Buffer): string {
  const digest = createHash('sha256').update(bytes).digest('hex')
  return `binary file, ${bytes.length} bytes, sha256:${digest}`
}

/** All files that the run created, changed or deleted, each below a line with its path. */
export function formatFilesSnapshot(files: CaseRecord['files'], normalize: TextNormalizer): string {
  const changes = (['created', 'changed', 'deleted'] as const).flatMap((kind) =>
    files[kind].map((path) => ({ kind, path })),
  )
  const parts = changes
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ kind, path }) => {
      const head = `-- ${kind} ${normalize(JSON.stringify(path).slice(1, -1))} --\n`
      const bytes = kind === 'deleted' ? undefined : files.read(path)
      if (!bytes) return head
      const text = formatFileSnapshot(bytes, normalize)
      return (
        head +
        (text === '' || text.endsWith('\n') ? text : `${text}\n\\ No newline at end of file\n`)
      )
    })
  return parts.length === 0 ? 'No file was created, changed or deleted\n' : parts.join('')
}
