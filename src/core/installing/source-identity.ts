import { isArchiveName } from '../../util/archive-name.ts'
import { parseRemoteSource } from '../sources/skill-source.ts'
import type { RemoteSourcePlace } from '../sources/source-place.ts'

/** The source of a skill in the lock. */
export interface RecordedSource {
  source: string
  resolved: string
}

/** False if the pinned text leads to another server, repository or package than the typed one. */
export function isOnePlace({ source, resolved }: RecordedSource): boolean {
  const [typed, pinned] = [parseRemoteSource(source), parseRemoteSource(resolved)]
  if (!typed || !pinned) return source === resolved
  // A site may name an archive of its server.
  if (typed.type === 'site') {
    return 'url' in pinned && pinned.type !== 'git' && typed.url.origin === pinned.url.origin
  }
  if (typed.type !== pinned.type || describeHost(typed) !== describeHost(pinned)) return false
  return typed.type !== 'git' || pinned.type !== 'git' || isSearched(typed.folder, pinned.folder)
}

/** A typed source without a folder has the one that was found. */
function isSearched(typed: string | undefined, found: string | undefined): boolean {
  return typed === undefined || typed === found
}

/** The server, repository or package of a place, without a version. */
function describeHost(place: RemoteSourcePlace): string {
  if (place.type === 'git') return place.url
  if (place.type === 'npm') return place.package
  if (place.type === 'oci') return `${place.registry}/${place.repository}`
  return place.url.href
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
  return isArchiveName(path) ? path.replaceAll(version, '*') : path
}
