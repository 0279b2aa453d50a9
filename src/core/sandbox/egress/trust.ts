import { createSecureContext, type SecureContext } from 'node:tls'

let last: { certificates: string | undefined; context: SecureContext } | undefined

/**
 * Opens the context of connections to hosts whose certificates are checked. Reading all authorities
 * of a machine takes longer than a request, and most runs have the same ones.
 *
 * @param certificates PEM of the authorities; those of Node if undefined
 */
export function openTrust(certificates: string | undefined): SecureContext {
  if (last?.certificates !== certificates || !last) {
    const context = createSecureContext(certificates === undefined ? {} : { ca: certificates })
    last = { certificates, context }
  }
  return last.context
}
