import type { Engine } from '../engine/engine.ts'
import { decodeMessage, encodeMessage } from '../messages/encoding.ts'

/** A stored snapshot of a workspace. */
export interface SnapshotRef {
  /** Digests of the packs that contain its manifest. */
  manifest: readonly string[]
  /** Time of the snapshot, in ISO 8601. */
  at: string
}

/** The worker that had a session before, and why it has it no more. */
export interface FormerHome {
  node: string
  why: 'gone' | 'drained'
}

interface HomeFacts {
  /** Counts the homes of a session. */
  generation: number
  snapshot?: SnapshotRef | undefined
  from?: FormerHome | undefined
}

/** The worker that has the files and processes of a session, or the kernels of a caller. */
export interface Home extends HomeFacts {
  node: string
  start: string
}

/** A session without a home: its last one is gone, or was drained. */
export interface FreeHome extends HomeFacts {
  node: null
}

export type HomeRecord = Home | FreeHome

export interface StoredHome {
  record: HomeRecord
  /** Position of the record in the engine. */
  seq: number
  storedAt: number
}

/** Matches the records of all homes. */
const ALL_HOMES = 'k.homes.>'

const PREFIX = 'k.homes.'
const KEY = /^(?:session|kernel)-[0-9a-f]{40}$/
const DIGEST = /^[0-9a-f]{64}$/

/** Checks the key of a home, which becomes a subject of the engine. */
export function isHomeKey(key: unknown): key is string {
  return typeof key === 'string' && KEY.test(key)
}

/** Key of a session's workspace; undefined for kernels, which have no files. */
export function getWorkspaceOfHome(key: string): string | undefined {
  return key.startsWith('session-') ? key.slice('session-'.length) : undefined
}

/** Reads the home of a key. A record that is not valid counts as none, and can be replaced. */
export async function readHome(
  engine: Engine,
  key: string,
): Promise<(Omit<StoredHome, 'record'> & { record: HomeRecord | undefined }) | undefined> {
  const stored = await engine.last('state', PREFIX + key)
  if (!stored) return undefined
  return { record: parseHome(stored.body), seq: stored.seq, storedAt: stored.storedAt }
}

/** Replaces the record of a home. Returns its position; undefined if another node was first. */
export async function replaceHome(
  engine: Engine,
  key: string,
  { record, seq }: { record: HomeRecord; seq: number },
): Promise<number | undefined> {
  return await engine.replace('state', PREFIX + key, { body: encodeMessage(record), seq })
}

/** Yields the homes of all sessions. */
export async function* listHomes(engine: Engine): AsyncGenerator<StoredHome & { key: string }> {
  for await (const { subject, body, seq, storedAt } of engine.list('state', ALL_HOMES)) {
    const record = parseHome(body)
    if (record) yield { key: subject.slice(PREFIX.length), record, seq, storedAt }
  }
}

export async function removeHome(engine: Engine, key: string): Promise<void> {
  await engine.remove('state', PREFIX + key)
}

function parseHome(body: Uint8Array): HomeRecord | undefined {
  const record: Partial<Home> | undefined = decodeMessage(body)
  if (!record || !Number.isSafeInteger(record.generation)) return undefined
  const { node, start, snapshot } = record
  if (node !== null && (typeof node !== 'string' || typeof start !== 'string')) return undefined
  if (snapshot !== undefined && !isSnapshotRef(snapshot)) return undefined
  return record as HomeRecord
}

function isSnapshotRef({ manifest, at }: Partial<SnapshotRef>): boolean {
  return (
    typeof at === 'string' &&
    Array.isArray(manifest) &&
    manifest.every((digest) => typeof digest === 'string' && DIGEST.test(digest))
  )
}
