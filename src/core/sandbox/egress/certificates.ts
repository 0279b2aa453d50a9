import { statSync } from 'node:fs'

/** Usual paths of the CA bundle. */
const BUNDLE_PATHS = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
]

/** Finds the CA bundle that the host trusts. SSL_CERT_FILE overrides it, as for other programs. */
export function findCertificates(
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const paths = [env['SSL_CERT_FILE'] ?? '', ...BUNDLE_PATHS]
  return paths.find((path) => path !== '' && statSync(path, { throwIfNoEntry: false })?.isFile())
}
