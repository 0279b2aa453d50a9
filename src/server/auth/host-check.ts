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

/** Rejects pages of other sites. Programs other than browsers send no Origin. */
export function checkOrigin(
  {
    origin,
    host,
    site,
  }: { origin: string | undefined; host: string | undefined; site: string | undefined },
  trust: Trust,
): void {
  if (origin !== undefined) {
    if (trust.origins.has(origin) || isSameHost(origin, host)) return
    throw untrustedError(`pages of "${truncateHeader(origin)}"`)
  }
  // Browsers omit Origin for links and embedded resources of another site.
  if (site === 'cross-site') throw untrustedError('pages of other sites')
}

function isSameHost(origin: string, host: string | undefined): boolean {
  return host !== undefined && origin === `http://${host.toLowerCase()}`
}

const MAX_PORT = 65_535

/** The name or address without the port; undefined if it is invalid. */
function parseHostName(header: string): string | undefined {
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
