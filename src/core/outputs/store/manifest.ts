import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { outputDamagedError, outputForeignError } from './handle.ts'
import {
  STREAM_NAMES,
  type OutputReader,
  type StoredOutput,
  type StreamName,
} from './output-store.ts'

/** What lies beside the streams. */
export interface OutputManifest extends StoredOutput {
  /** Packed, in base64. */
  members: Readonly<Record<StreamName, string>>
  /** Short streams lie here, in base64, and have no files. */
  inline?: Readonly<Record<StreamName, string>>
}

/** What is left of an output that had to go. */
export type OutputTombstone = Pick<StoredOutput, 'handle' | 'repo' | 'owner'>

/** The file that makes an output visible. */
export function getManifestPath(dir: string, key: string): string {
  return join(dir, `${key}.json`)
}

/** The file that says that an output has gone. */
export function getTombstonePath(dir: string, key: string): string {
  return join(dir, `${key}.gone`)
}

/** The file of a stream that is too long for the manifest. */
export function getStreamPath(dir: string, key: string, name: StreamName): string {
  return join(dir, `${key}.${name}.gz`)
}

/** All files that an output may have; the manifest first, without it the others are nobody's. */
export function listOutputPaths(dir: string, key: string): string[] {
  return [getManifestPath(dir, key), ...STREAM_NAMES.map((name) => getStreamPath(dir, key, name))]
}

/** What a file holds; undefined where there is none. Throws `output/damaged`. */
export async function readManifest<T>(path: string, handle: string): Promise<T | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw outputDamagedError(handle, error)
  }
  try {
    return JSON.parse(text) as T
  } catch (cause) {
    throw outputDamagedError(handle, cause)
  }
}

/** Throws `output/foreign` where the reader has no right to it. */
export function authorizeReader(
  handle: string,
  { owner, repo }: Pick<StoredOutput, 'owner' | 'repo'>,
  reader: OutputReader,
): void {
  const isOwner = reader.caller === undefined || reader.caller === owner
  if (isOwner && (reader.repo === undefined || reader.repo === repo)) return
  throw outputForeignError(handle)
}
