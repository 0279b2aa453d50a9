import { stampFolder } from '../../../util/stamp-folder.ts'
import { digestFolder } from './digest.ts'

const MOST_KEPT = 256

const known = new Map<string, { stamp: string; digest: string }>()

/** The digest of a folder, which is read again only where an entry of it changed since the last time. */
export async function knownDigest(dir: string): Promise<string> {
  const before = stampFolder(dir)
  const found = known.get(dir)
  if (found?.stamp === before.text) return found.digest
  known.delete(dir)
  const digest = await digestFolder(dir)
  if (before.isSettled && stampFolder(dir).text === before.text) {
    known.set(dir, { stamp: before.text, digest })
    for (const oldest of known.keys()) {
      if (known.size > MOST_KEPT) known.delete(oldest)
    }
  }
  return digest
}
