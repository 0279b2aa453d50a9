import type { ChainLink } from './chain.ts'
import { openAuditSource, readNewestFirst } from './read-audit.ts'

/** Returns the hashes of those links whose records are in the log. Requires the lock. */
export async function findWritten(
  dir: string,
  links: readonly ChainLink[],
): Promise<ReadonlySet<string>> {
  const wanted = new Set(links.map(({ hash }) => hash))
  const oldest = Math.min(...links.map(({ seq }) => seq))
  const found = new Set<string>()
  for await (const { seq, hash } of readNewestFirst(openAuditSource(dir))) {
    if (seq < oldest) break
    if (wanted.has(hash)) found.add(hash)
  }
  return found
}
