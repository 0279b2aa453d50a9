import { SkillsError } from '../../errors.ts'

/**
 * Parses names for the Host header, without a port. Throws `usage/invalid` for impossible names.
 */
export function parseTrustedHosts(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map(parseTrustedHost))
}

/** Parses origins of web pages. Throws `usage/invalid` for values that browsers cannot send. */
export function parseTrustedOrigins(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.map(parseTrustedOrigin))
}

function parseTrustedHost(text: string): string {
  const host = normalizeHost(text)
  if (/^(?:[a-z0-9._-]+|[0-9a-f:.]*:[0-9a-f:.]*)$/.test(host) && !/^[^:]+:\d+$/.test(host))
    return host
  throw new SkillsError('usage/invalid', `"${text}" is not a valid host name`, {
    hint: 'Write it as skills.example.com, without http:// and without a port',
  })
}

/** Normalizes a host for comparison: without brackets, in lower case. */
export function normalizeHost(text: string): string {
  return text
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase()
}

function parseTrustedOrigin(text: string): string {
  const origin = text.replace(/\/$/, '').toLowerCase()
  const isWeb = /^https?:/.test(origin)
  if (isWeb && URL.canParse(origin) && new URL(origin).origin === origin) return origin
  // For example chrome-extension://<id>, for which URL returns no origin.
  if (!isWeb && /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+$/.test(origin)) return origin
  throw new SkillsError('usage/invalid', `"${text}" is not a valid web origin`, {
    hint: 'Write it as https://app.example.com, without a path; "*" is not allowed',
  })
}
