import { isIP } from 'node:net'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'

type IdentityCheck = (host: string, certificate: PeerCertificate) => Error | undefined

/** The name that Node checks if a connection names none, as those of the client to IP addresses do. */
const UNNAMED = 'localhost'

/** Returns a check of certificates that also works for servers that are known by an IP address. */
export function createIdentityCheck(hostnames: readonly string[]): IdentityCheck {
  const hosts = hostnames.map((each) => each.replace(/^\[|\]$/g, ''))
  const unnamed = hosts.filter((host) => isIP(host) !== 0 || host === UNNAMED)
  return (host, certificate) => {
    if (host !== UNNAMED) return checkServerIdentity(host, certificate)
    const errors = unnamed.map((each) => checkServerIdentity(each, certificate))
    return errors.includes(undefined)
      ? undefined
      : (errors[0] ?? checkServerIdentity(host, certificate))
  }
}
