import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseSealedJson } from '../../util/sealed-json.ts'
import type { BlobInfo } from './blob-store.ts'
import { listBlobFolders } from './collect-blobs.ts'
import { DamageCollector, ItemGoneError, type DamageReport } from './damage-report.ts'
import { BlobVerifier } from './verify-blob.ts'

/** Verifies every blob of a folder by its digest. Changes nothing. */
export async function checkBlobs(dir: string): Promise<DamageReport> {
  const collector = new DamageCollector()
  const verifier = new BlobVerifier()
  for (const name of await listBlobFolders(dir)) {
    const id = `blob:${name}`
    await collector.check(id, async () => await checkBlob(join(dir, name), { id, verifier }))
  }
  return collector.report
}

async function checkBlob(
  folder: string,
  { id, verifier }: { id: string; verifier: BlobVerifier },
): Promise<void> {
  try {
    const text = await readFile(join(folder, 'info.json'), 'utf8')
    const info = parseSealedJson(text) as BlobInfo
    if (info.id !== id) throw new Error('its description is that of another blob')
    const { size } = await stat(join(folder, 'content'))
    if (size !== info.size) throw new Error(`it has ${size} bytes, expected ${info.size}`)
    await verifier.verify(info, join(folder, 'content'))
  } catch (error) {
    if (!existsSync(folder)) throw new ItemGoneError()
    throw error
  }
}
