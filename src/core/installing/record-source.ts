import { relative } from 'node:path'
import type { FetchedSkill } from '../sources/fetched-skill.ts'
import { checkRecordedSource, parseRemoteSource } from '../sources/skill-source.ts'
import type { RemoteSourcePlace, SkillSourcePlace } from '../sources/source-place.ts'
import type { InstallPlaces } from './install-places.ts'

interface FetchedPlace {
  /** The source as typed. */
  text: string
  place: SkillSourcePlace
  fetched: Pick<FetchedSkill, 'resolved'>
  places: Pick<InstallPlaces, 'scope' | 'base'>
}

/** The source of a skill in the lock. */
export interface RecordedSource {
  source: string
  resolved: string
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

/** False if the pinned text leads to another server, repository or package than the typed one. */
export function isOnePlace({ source, resolved }: RecordedSource): boolean {
  const [typed, pinned] = [parseRemoteSource(source), parseRemoteSource(resolved)]
  if (!typed || !pinned) return source === resolved
  switch (typed.type) {
    case 'url': {
      return pinned.type === 'url' && typed.url.href === pinned.url.href
    }
    case 'site': {
      return 'url' in pinned && pinned.type !== 'git' && typed.url.origin === pinned.url.origin
    }
    case 'git': {
      const isInFolder = pinned.type === 'git' && [undefined, pinned.folder].includes(typed.folder)
      return isInFolder && typed.url === pinned.url
    }
    case 'npm': {
      return pinned.type === 'npm' && typed.package === pinned.package
    }
    case 'oci': {
      return (
        pinned.type === 'oci' &&
        typed.registry === pinned.registry &&
        typed.repository === pinned.repository
      )
    }
  }
}

/**
 * A text that is equal for two versions of one skill from one place. Another folder, repository,
 * package or server is another source.
 */
export function identifySource(recorded: RecordedSource, version: string): string {
  const place = parseRemoteSource(recorded.source)
  if (!place) return `path ${withoutVersion(recorded.source, version)}`
  return `${place.type} ${identifyRemote(place, recorded.resolved, version)}`
}

// eslint-disable-next-line max-params -- the place, its pinned text and the version
function identifyRemote(place: RemoteSourcePlace, resolved: string, version: string): string {
  switch (place.type) {
    case 'url': {
      return `${place.url.origin}${withoutVersion(place.url.pathname, version)}${place.url.search}`
    }
    case 'git': {
      // A folder that was searched is in the pinned text only.
      const pinned = parseRemoteSource(resolved)
      return `${place.url} ${(pinned?.type === 'git' ? pinned.folder : undefined) ?? ''}`
    }
    case 'site': {
      return `${place.url.href} ${place.name}`
    }
    case 'npm': {
      return `${place.package} ${place.skill ?? ''}`
    }
    case 'oci': {
      return `${place.registry}/${place.repository}`
    }
  }
}

/** Archives of one skill differ in their version: `greet-1.0.0.tar.gz` and `greet-1.1.0.tar.gz`. */
function withoutVersion(path: string, version: string): string {
  return /\.(?:zip|skill|tgz|tar\.gz)$/.test(path) ? path.replaceAll(version, '*') : path
}
