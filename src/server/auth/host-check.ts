import { isIP } from 'node:net'
import { SkillsError } from '../../errors.ts'

/** Trusted hosts and origins of requests. */
export interface Trust {
  /** Names allowed in the Host header. */
  hosts: ReadonlySet<string>
  /**
   * Allows any IP address in the Host header. DNS rebinding needs a name, so addresses are safe.
   */
  anyAddress: boolean
  /** Cross-origin pages that may call, such as `https://app.example.com`. */
  origins: ReadonlySet<string>
}

export const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1'] as const

/** Rejects unknown host names, which protects against DNS rebinding. */
export function checkHost(header: string | undefined, trust: Trust): void {
  const name = parseHostName(header ?? '')
  if (name !== undefined) {
    if (trust.hosts.has(name) || (trust.anyAddress && isIP(name) !== 0)) return
  }
  throw new SkillsError(
    'http/untrusted',
    `This server does not answer to the host "${truncateHeader(header)}"`,
    {
      hint: 'Start the server with --allow-host <name>',
    },
  )
}

/** Headers that show which page sent a request. */
interface OriginFacts {
  origin: string | undefined
  host: string | undefined
  /** Sec-Fetch-Site, which no page can set. */
  site: string | undefined
}

/** Rejects pages of other sites. Programs other than browsers send no Origin. */
export function checkOrigin({ origin, host, site }: OriginFacts, trust: Trust): void {
  if (origin !== undefined) {
    if (trust.origins.has(origin) || isOwnOrigin({ origin, host, site })) return
    throw untrustedError(`pages of "${truncateHeader(origin)}"`)
  }
  // Browsers omit Origin for links and embedded resources of other pages: another port of this host is the same site.
  if (site === 'cross-site' || site === 'same-site') throw untrustedError('pages of other origins')
}

/**
 * True if the page of a request comes from the host that the request names, which was checked before.
 * A proxy that adds TLS makes the scheme of its pages https. The browser has to confirm it: a page of
 * another server with the same name and TLS is of another site, because its scheme differs.
 */
export function isOwnOrigin({ origin, host, site }: OriginFacts): boolean {
  if (origin === undefined || host === undefined) return false
  const name = host.toLowerCase()
  return origin === `http://${name}` || (origin === `https://${name}` && site === 'same-origin')
}

const MAX_PORT = 65_535

/** The name or address without the port; undefined if it is invalid. */
export function parseHostName(header: string): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/i.exec(header)
  if (Number(match?.[3] ?? 0) > MAX_PORT) return undefined
  return (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, '')
}

function untrustedError(source: string): SkillsError {
  return new SkillsError('http/untrusted', `This server does not answer to ${source}`, {
    hint: 'Start the server with --allow-origin <origin>',
  })
}

function truncateHeader(text: string | undefined): string {
  return (text ?? '').slice(0, 100)
}
