import { resolve } from 'node:path'
import { HTTP_FORMS, sourceError } from '../check-address.ts'
import type { RemoteKind } from '../source-kind.ts'
import type { SitePlace } from '../source-place.ts'

const FRAGMENT = /^#([A-Za-z0-9][\w.-]{0,127})(?:@([0-9A-Za-z][\w.+-]{0,127}))?$/

/** A skill of the index of a site: `https://host/base#name[@version]`, which the kind `url` parses. */
export const site: RemoteKind<SitePlace> = {
  type: 'site',
  forms: {},
  // A site may name an archive of its server.
  hasPinned: ({ url }, pinned) =>
    (pinned.type === 'url' || pinned.type === 'site') && pinned.url.origin === url.origin,
  identify: ({ url, name }) => `${url.href} ${name}`,
  formatTrust: ({ url, name }) => (url.protocol === 'https:' ? `${url.href}${name}` : undefined),
  trustPatterns: { https: 'https://example.com/skills/name' },
  describeForeign({ url, version }) {
    if (version !== undefined) return { problem: 'the format has no version of a skill of a site' }
    const source = url.hostname.replace(/^www\./, '')
    return { source, sourceType: 'well-known', sourceUrl: url.href.replace(/\/$/, '') }
  },
  async fetch(place, options) {
    const { fetchSite } = await import('../site/fetch-site.ts')
    return await fetchSite(place, options)
  },
  async findWithdrawal(place, version, options) {
    const { readSiteVersion } = await import('../site/site-version.ts')
    return (await readSiteVersion(place, version, options)).yanked
  },
  publish: {
    schemes: { 'site:': 'site:./public' },
    options: ['baseUrl', 'siteName'],
    async open({ cwd, rest, options: { siteName: name, baseUrl } }) {
      const { openSiteTarget } = await import('../../publishing/targets/site/site-target.ts')
      return openSiteTarget({ folder: resolve(cwd, rest), label: `site:${rest}`, name, baseUrl })
    },
  },
}

/** Parses an address whose fragment is the name of a skill. */
export function parseSite(url: URL, text: string): SitePlace {
  const [, name, version] = FRAGMENT.exec(url.hash) ?? []
  if (name === undefined) {
    const problem =
      'its fragment is neither the name of a skill nor "#sha256=" and 64 lower-case hexadecimal digits'
    throw sourceError(text, problem, HTTP_FORMS)
  }
  if (url.search !== '') {
    throw sourceError(text, 'the address of a site has no query', HTTP_FORMS)
  }
  const base = new URL(url)
  base.hash = ''
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  return { type: 'site', url: base, name, version }
}
