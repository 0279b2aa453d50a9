import { isArchiveName } from '../../../util/archive-name.ts'
import { checkAddress, HTTP_FORMS, sourceError } from '../check-address.ts'
import type { RemoteKind } from '../source-kind.ts'
import type { ArchivePlace } from '../source-place.ts'
import { parseSite } from './site.ts'

const DIGEST = /^#sha256=([0-9a-f]{64})$/

/** An archive or a SKILL.md at an address, which may have a digest. */
export const url: RemoteKind<ArchivePlace> = {
  type: 'url',
  forms: { https: HTTP_FORMS, http: HTTP_FORMS },
  /** With `#name`, it is a skill of a site. */
  parse(text) {
    if (!URL.canParse(text)) throw sourceError(text, 'it is not a valid URL', HTTP_FORMS)
    const address = new URL(text)
    checkAddress(address, text)
    const digest = DIGEST.exec(address.hash)?.[1]
    if (address.hash !== '' && digest === undefined) return parseSite(address, text)
    address.hash = ''
    return { type: 'url', url: address, digest: digest && `sha256:${digest}` }
  },
  hasPinned: (typed, pinned) => pinned.type === 'url' && pinned.url.href === typed.url.href,
  identify: ({ url: { origin, pathname, search } }, { version }) =>
    `${origin}${withoutVersion(pathname, version)}${search}`,
  formatTrust: ({ url: { protocol, origin, pathname } }) =>
    protocol === 'https:' ? `${origin}${pathname}` : undefined,
  describeForeign: () => ({ problem: 'the format has no archives' }),
  async fetch(place, options) {
    const { fetchArchive } = await import('../fetch-archive.ts')
    try {
      return await fetchArchive(place, options)
    } catch (thrown) {
      options.signal.throwIfAborted()
      // Without a name and a digest, it may be the address of a site, which is worth a better message.
      if (place.digest !== undefined || isArchiveName(place.url.pathname)) throw thrown
      const { findSite } = await import('../site/fetch-site.ts')
      throw (await findSite(place, options)) ?? thrown
    }
  },
  async fetchFolder(place, options) {
    const { fetchArchiveFolder } = await import('../fetch-archive.ts')
    return await fetchArchiveFolder(place, options)
  },
}

/** Archives of one skill differ in their version: `greet-1.0.0.tar.gz` and `greet-1.1.0.tar.gz`. */
export function withoutVersion(path: string, version: string): string {
  return isArchiveName(path) ? path.replaceAll(version, '*') : path
}
