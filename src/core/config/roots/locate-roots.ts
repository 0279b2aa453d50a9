import { SkillsError } from '../../../errors.ts'
import type { RemoteRoot } from '../config.ts'
import { resolveRoot, type FetchedRoot } from './resolve-root.ts'

interface LocateOptions {
  dataDir: string
  /** Receives the problem of a root, which is then skipped; may throw it. */
  refuse: (problem: SkillsError) => void
}

/** Replaces roots that are fetched by their folders in the cache. Nothing is downloaded. */
export async function locateFetchedRoots<Root extends { path: string; fetched?: FetchedRoot }>(
  roots: readonly Root[],
  { dataDir, refuse }: LocateOptions,
): Promise<{ configured: Root[]; remoteRoots: RemoteRoot[] }> {
  const configured: Root[] = []
  const remoteRoots: RemoteRoot[] = []
  for (const root of roots) {
    if (!root.fetched) {
      configured.push(root)
      continue
    }
    try {
      const { path, resolved } = await resolveRoot(root.fetched, dataDir)
      configured.push({ ...root, path })
      remoteRoots.push({ path, source: root.fetched.source, resolved })
    } catch (thrown) {
      if (!(thrown instanceof SkillsError)) throw thrown
      refuse(thrown)
    }
  }
  return { configured, remoteRoots }
}
