import type { Engine } from '../engine/engine.ts'
import { sweepUploads } from '../objects/sweep-uploads.ts'
import { CATALOG_PATTERN, isRemoved, readEntryMessage } from './catalog-entry.ts'

/**
 * Removes archives that no entry of the catalog names, because their writer was killed. Returns the
 * names of the uploads. For the keeper of a fleet.
 */
export async function sweepCatalogUploads(
  engine: Engine,
  { dryRun }: { dryRun?: boolean | undefined } = {},
): Promise<string[]> {
  const listNamed = async () => await listCatalogUploads(engine)
  return await sweepUploads(engine, { stream: 'skills', listNamed, dryRun })
}

async function listCatalogUploads(engine: Engine): Promise<ReadonlySet<string>> {
  const named = new Set<string>()
  for await (const message of engine.list('state', CATALOG_PATTERN)) {
    const entry = readEntryMessage(message)?.entry
    if (entry && !isRemoved(entry)) named.add(entry.object.upload)
  }
  return named
}
