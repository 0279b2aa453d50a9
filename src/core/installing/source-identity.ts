import { relative } from 'node:path'
import type { InstallPlaces } from './install-places.ts'
import type { FetchedSkill } from '../sources/fetched-skill.ts'
import { findRemoteKind } from '../sources/index.ts'
import { withoutVersion } from '../sources/known/url.ts'
import { checkRecordedSource, parseRemoteSource } from '../sources/skill-source.ts'
import type { SkillSourcePlace } from '../sources/source-place.ts'

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

interface FetchedPlace {
  /** The source as typed. */
  text: string
  place: SkillSourcePlace
  fetched: Pick<FetchedSkill, 'resolved'>
  places: Pick<InstallPlaces, 'scope' | 'base'>
}

/** The source in the lock: addresses as typed, paths relative to the project, or absolute for a user. */
export function recordSource({ text, place, fetched, places }: FetchedPlace): RecordedSource {
  if (place.type !== 'folder' && place.type !== 'archive') {
    return { source: text, resolved: fetched.resolved }
  }
  const path =
    places.scope === 'user' ? checkRecordedSource(place.path) : recordPath(places.base, place.path)
  return { source: path, resolved: path }
}

/** A relative path that cannot be read as an address. */
function recordPath(projectDir: string, path: string): string {
  const text = relative(projectDir, path).replaceAll('\\', '/') || '.'
  return checkRecordedSource(text.includes(':') ? `./${text}` : text)
}
