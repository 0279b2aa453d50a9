import { SkillsError } from '../../../errors.ts'

/** Codes of OpenSSL and of Node for certificates that are not accepted. */
const CODE =
  /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO_|SELF_SIGNED_CERT|UNABLE_TO_(?:VERIFY|GET_ISSUER)|HOSTNAME_MISMATCH)/

/** True if an error, or a cause of it, says that the certificate of the engine is not accepted. */
export function isCertificateError(error: unknown): boolean {
  return findCertificateCode(error) !== undefined
}

export function certificateError(servers: string, cause: unknown): SkillsError {
  const code = findCertificateCode(cause) ?? ''
  return new SkillsError(
    'fleet/unavailable',
    `The certificate of the engine at "${servers}" is not accepted: ${describeCode(code)}`,
    { hint: 'Set fleet.ca to the file with the certificate that signed it', cause },
  )
}

function findCertificateCode(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code } = each as NodeJS.ErrnoException
    if (typeof code === 'string' && CODE.test(code)) return code
  }
  return undefined
}

function describeCode(code: string): string {
  if (code === 'CERT_HAS_EXPIRED') return 'it has expired'
  if (code.includes('ALTNAME') || code.includes('HOSTNAME')) return 'it is for another host name'
  return 'no known authority signed it'
}
