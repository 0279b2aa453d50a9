import type { Engine } from '../engine/engine.ts'
import {
  getWorkspaceOfHome,
  listHomes,
  readHome,
  removeHome,
  replaceHome,
  type SnapshotRef,
} from './home-record.ts'
import { namePack, namePackMark, UNNAMED_PACK_MS } from './pack-writer.ts'
import { listPacks, readManifest } from './stored-manifest.ts'

export interface SnapshotSweepOptions {
  /** Age at which the home of a session that nothing uses is removed, with its snapshot. */
  ttlMs: number
  /** False if the start of a node is gone for certain. */
  isAlive?: ((holder: { node: string; start: string }) => boolean | undefined) | undefined
  /** Age of packs that are removed if no snapshot names them. */
  unnamedMs?: number | undefined
  /** Only counts what would be removed. */
  dryRun: boolean
}

export interface SweptSnapshots {
  homes: number
  packs: number
  bytes: number
}

/** Removes homes of sessions that expired, and packs that no snapshot has named for a day. */
export async function sweepSnapshots(
  engine: Engine,
  options: SnapshotSweepOptions,
): Promise<SweptSnapshots> {
  const { unnamedMs = UNNAMED_PACK_MS, dryRun } = options
  const swept: SweptSnapshots = { homes: await expireHomes(engine, options), packs: 0, bytes: 0 }
  const oldest = Date.now() - unnamedMs
  // Listed before the records are read: packs of a later snapshot are younger.
  for (const [workspace, digests] of await listOldPacks(engine, oldest)) {
    const named = await listNamed(engine, workspace)
    for (const digest of digests.filter((each) => named?.has(each) === false)) {
      const bytes = await removePack(engine, { workspace, digest, oldest, dryRun })
      if (bytes === undefined) continue
      swept.packs += 1
      swept.bytes += bytes
    }
  }
  return swept
}

/** Workers renew the records of sessions that are used, but not those of kernels. */
async function expireHomes(
  engine: Engine,
  { ttlMs, isAlive = () => false, dryRun }: SnapshotSweepOptions,
): Promise<number> {
  const expired = []
  for await (const home of listHomes(engine)) {
    const { key, record, storedAt } = home
    if (storedAt >= Date.now() - ttlMs) continue
    const isKernel = getWorkspaceOfHome(key) === undefined
    if (isKernel && record.node !== null && isAlive(record) !== false) continue
    expired.push(home)
  }
  if (dryRun) return expired.length
  let removed = 0
  for (const { key, record, seq } of expired) {
    const free = { node: null, generation: record.generation } as const
    // Fails if the record was renewed meanwhile.
    if ((await replaceHome(engine, key, { record: free, seq })) === undefined) continue
    await removeHome(engine, key)
    removed += 1
  }
  return removed
}

/** Digests of old packs, by workspace. */
async function listOldPacks(engine: Engine, oldest: number): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for await (const { subject, storedAt } of engine.list('workspaces', 'q.>')) {
    if (storedAt >= oldest) continue
    const [, workspace = '', digest = ''] = subject.split('.')
    const digests = found.get(workspace) ?? []
    found.set(workspace, digests)
    digests.push(digest)
  }
  return found
}

/** Packs of the snapshot of a workspace; undefined if it cannot be read now. */
async function listNamed(
  engine: Engine,
  workspace: string,
): Promise<ReadonlySet<string> | undefined> {
  const stored = await readHome(engine, `session-${workspace}`)
  if (stored && !stored.record) return undefined
  const snapshot: SnapshotRef | undefined = stored?.record?.snapshot
  if (!snapshot) return new Set()
  try {
    const manifest = await readManifest(engine, workspace, snapshot)
    return new Set([...snapshot.manifest, ...listPacks(manifest)])
  } catch {
    return undefined
  }
}

/** Returns the size of a removed pack; undefined if it was stored again a short time ago. */
async function removePack(
  engine: Engine,
  {
    workspace,
    digest,
    oldest,
    dryRun,
  }: { workspace: string; digest: string; oldest: number; dryRun: boolean },
): Promise<number | undefined> {
  const subject = namePack(workspace, digest)
  const pack = await engine.last('workspaces', subject)
  if (pack && pack.storedAt >= oldest) return undefined
  if (!dryRun) {
    await engine.remove('workspaces', subject)
    await engine.remove('workspaces', namePackMark(workspace, digest))
  }
  return pack?.body.length ?? 0
}
