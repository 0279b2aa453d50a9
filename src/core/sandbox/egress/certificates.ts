import { statSync } from 'node:fs'

/** Where systems keep the certificates of authorities, as one file. */
const BUNDLE_PATHS = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
]

/** The certificates that the host trusts; SSL_CERT_FILE names others, as for every program. */
export function findCertificates(
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const places = [env['SSL_CERT_FILE'] ?? '', ...BUNDLE_PATHS]
  return places.find(
    (place) => place !== '' && statSync(place, { throwIfNoEntry: false })?.isFile(),
  )
}
