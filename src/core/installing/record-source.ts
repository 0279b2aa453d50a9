import { relative } from 'node:path'
import type { FetchedSkill } from '../sources/fetched-skill.ts'
import { checkRecordedSource } from '../sources/skill-source.ts'
import type { SkillSourcePlace } from '../sources/source-place.ts'
import type { InstallPlaces } from './install-places.ts'
import type { RecordedSource } from './source-identity.ts'

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
