import { findRemoteKind } from '../sources/index.ts'
import { withoutVersion } from '../sources/known/url.ts'
import { parseRemoteSource } from '../sources/skill-source.ts'

/** The source of a skill in the lock. */
export interface RecordedSource {
  source: string
  resolved: string
}

/** False if the pinned text leads to another server, repository or package than the typed one. */
export function isOnePlace({ source, resolved }: RecordedSource): boolean {
  const [typed, pinned] = [parseRemoteSource(source), parseRemoteSource(resolved)]
  if (!typed || !pinned) return source === resolved
  return findRemoteKind(typed).hasPinned(typed, pinned)
}

/**
 * A text that is equal for two versions of one skill from one place. Another folder, repository,
 * package or server is another source.
 */
export function identifySource({ source, resolved }: RecordedSource, version: string): string {
  const place = parseRemoteSource(source)
  if (!place) return `path ${withoutVersion(source, version)}`
  return `${place.type} ${findRemoteKind(place).identify(place, { resolved, version })}`
}
