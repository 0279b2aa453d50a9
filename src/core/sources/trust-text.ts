import { describeGitPlace } from './git/git-text.ts'
import { parseRemoteSource } from './skill-source.ts'
import type { GitPlace, SkillSourcePlace } from './source-place.ts'

/** The source as patterns of the trust list name it; undefined for a path and for this machine. */
export function formatTrustText(place: SkillSourcePlace, resolved: string): string | undefined {
  switch (place.type) {
    case 'url': {
      return place.url.protocol === 'https:'
        ? `${place.url.origin}${place.url.pathname}`
        : undefined
    }
    case 'site': {
      return place.url.protocol === 'https:' ? `${place.url.href}${place.name}` : undefined
    }
    case 'git': {
      return place.protocol === 'https' ? formatGit(place, resolved) : undefined
    }
    case 'npm': {
      return `npm:${place.package}`
    }
    case 'oci': {
      return `oci:${place.registry}/${place.repository}`
    }
    default: {
      return undefined
    }
  }
}

function formatGit({ url }: GitPlace, resolved: string): string {
  const pinned = parseRemoteSource(resolved)
  const folder = pinned?.type === 'git' ? pinned.folder : undefined
  const text = describeGitPlace({ url, ref: undefined }, folder)
  // The fragment of another server becomes a path, which patterns cover.
  return text.replace(/^git\+/, '').replace('#:', '/')
}
