import { CertificateAuthority } from '../answers/certificate-authority.ts'
import type { RequestAnswerer } from '../answers/request-answerer.ts'
import { bracketHost, type NetworkDestination } from '../destination.ts'
import type { EgressTimeouts } from '../tunnel.ts'
import type { MaskedSecret } from './masked-secret.ts'
import { maskAnswerer } from './masked-answerer.ts'
import { MaskingProxy } from './masking-proxy.ts'
import type { RelayFilter } from './relay-parts.ts'
import { RequestMask } from './request-mask.ts'

/** Secrets of a run whose values only its filter knows. */
export interface MaskedNetwork {
  secrets: readonly MaskedSecret[]
  /** Certificate of the authority that the run trusts, as PEM. */
  authority: string
  /** The mask of a destination. It puts in no value where no secret is sent to. */
  maskFor(destination: NetworkDestination): RequestMask
  /** Puts values into requests before they are answered or recorded. */
  maskAnswerer(answerer: RequestAnswerer): RequestAnswerer
  openProxy(filter: RelayFilter, timeouts: EgressTimeouts): MaskingProxy
}

/** `certificates`: PEM of the authorities that the hosts are checked against; those of Node if undefined. */
export function createMaskedNetwork(
  secrets: readonly MaskedSecret[],
  certificates: string | undefined,
): MaskedNetwork {
  const authority = new CertificateAuthority()
  const masks = new Map<string, RequestMask>()
  const maskFor = (destination: NetworkDestination) => {
    const key = `${destination.scheme}://${bracketHost(destination.host)}:${destination.port}`
    const mask = masks.get(key) ?? new RequestMask(secrets, destination)
    masks.set(key, mask)
    return mask
  }
  return {
    secrets,
    authority: authority.certificate,
    maskFor,
    maskAnswerer: (answerer) => maskAnswerer(answerer, maskFor),
    openProxy: (filter, timeouts) =>
      new MaskingProxy({ filter, authority, certificates, timeouts, maskFor }),
  }
}
