import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseSealedJson } from '../../../util/sealed-json.ts'
import { outputDamagedError, outputForeignError } from './handle.ts'
import {
  STREAM_NAMES,
  type OutputReader,
  type StoredOutput,
  type StoredStream,
  type StreamName,
} from './output-store.ts'

/** Description of an output, stored next to its streams. */
export interface OutputManifest extends StoredOutput {
  /** Member index of each stream, packed, in base64. */
  members: Readonly<Record<StreamName, string>>
  /** Short streams, in base64; they have no files of their own. */
  inline?: Readonly<Record<StreamName, string>>
}

/** Tombstone of an expired output. */
export type OutputTombstone = Pick<StoredOutput, 'handle' | 'repo' | 'owner'>

/** The file that makes an output visible. */
export function getManifestPath(dir: string, key: string): string {
  return join(dir, `${key}.json`)
}

/** The file that marks an output as expired. */
export function getTombstonePath(dir: string, key: string): string {
  return join(dir, `${key}.gone`)
}

/** The file of a stream that is too long for the manifest. */
export function getStreamPath(dir: string, key: string, name: StreamName): string {
  return join(dir, `${key}.${name}.gz`)
}

/** All files that an output may have, the manifest first: without it the others are orphans. */
export function listOutputPaths(dir: string, key: string): string[] {
  return [getManifestPath(dir, key), ...STREAM_NAMES.map((name) => getStreamPath(dir, key, name))]
}

/**
 * Parses a manifest or a tombstone; undefined if it does not exist. Throws `output/damaged`, also
 * for a document without the members that `isValid` checks.
 */
export async function readManifest<T>(
  path: string,
  handle: string,
  isValid: (value: T) => boolean,
): Promise<T | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw outputDamagedError(handle, error)
  }
  let value: T
  try {
    value = parseSealedJson(text) as T
  } catch (cause) {
    throw outputDamagedError(handle, cause)
  }
  if (typeof value === 'object' && value !== null && isValid(value)) return value
  throw outputDamagedError(handle, new Error('a member is missing or has another type'))
}

export function isOutputManifest(manifest: OutputManifest): boolean {
  const { createdAt, runId, members, inline, streams } = manifest
  return (
    isOutputTombstone(manifest) &&
    typeof runId === 'string' &&
    typeof createdAt === 'string' &&
    Number.isFinite(Date.parse(createdAt)) &&
    STREAM_NAMES.every(
      (name) =>
        typeof members?.[name] === 'string' &&
        (inline === undefined || typeof inline?.[name] === 'string') &&
        isStream(streams?.[name]),
    )
  )
}

export function isOutputTombstone({ handle, repo, owner }: OutputTombstone): boolean {
  return typeof handle === 'string' && isNullOrText(repo) && isNullOrText(owner)
}

function isStream(stream: StoredStream | undefined): boolean {
  const { bytes, lines, sha256 } = Object(stream) as Partial<StoredStream>
  return Number.isSafeInteger(bytes) && Number.isSafeInteger(lines) && typeof sha256 === 'string'
}

function isNullOrText(value: unknown): boolean {
  return value === null || typeof value === 'string'
}

/** Throws `output/foreign` if the reader may not access the output. */
export function authorizeReader(
  handle: string,
  { owner, repo }: Pick<StoredOutput, 'owner' | 'repo'>,
  reader: OutputReader,
): void {
  const isOwner = reader.caller === undefined || reader.caller === owner
  if (isOwner && (reader.repo === undefined || reader.repo === repo)) return
  throw outputForeignError(handle)
}
