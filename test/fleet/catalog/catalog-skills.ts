import { writeArchive } from '../../../src/core/packing/formats.ts'
import { describeFiles, type PackedFile } from '../../../src/core/packing/packed-file.ts'
import { digestContent } from '../../../src/core/skills/content/content-manifest.ts'
import type { CatalogAddition } from '../../../src/fleet/catalog/add-to-catalog.ts'
import { getCatalogSubject, type CatalogEntry } from '../../../src/fleet/catalog/catalog-entry.ts'
import { createNewSkill } from '../../core/skills/uploads/uploads-suite.ts'
import type { CatalogNode } from './catalog-nodes.ts'

/** The files of a valid skill, of which one is executable. */
export function packedSkill(name: string, version = '1.0.0', text = 'A note.'): PackedFile[] {
  const { files } = createNewSkill(name, version, text)
  const script = { path: 'bin/run.sh', bytes: Buffer.from('#!/bin/sh\n'), isExecutable: true }
  return [...[...files].map(([path, bytes]) => ({ path, bytes, isExecutable: false })), script]
}

/** A skill of the operator. */
export function addition(name: string, version = '1.0.0', text = 'A note.'): CatalogAddition {
  const content = packedSkill(name, version, text)
  return { name, version, content, source: 'push', by: 'test' }
}

/** Stores an entry as a node would that does not check anything. Returns its position. */
export async function storeEntry(
  { engine, objects }: Pick<CatalogNode, 'engine' | 'objects'>,
  archive: Uint8Array,
  change: Partial<CatalogEntry> = {},
): Promise<number> {
  const entry: CatalogEntry = {
    name: 'demo.bad',
    version: '1.0.0',
    digest: digestContent(describeFiles(packedSkill('demo.bad'))),
    object: await objects.write(archive),
    source: 'push',
    addedAt: Date.now(),
    by: 'test',
    ...change,
  }
  return await engine.append('state', getCatalogSubject(entry), JSON.stringify(entry))
}

export async function packFiles(files: readonly PackedFile[]): Promise<Uint8Array> {
  return await writeArchive('tar.gz', files, { folder: 'skill' })
}
