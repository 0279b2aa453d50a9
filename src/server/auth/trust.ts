import { SkillsError } from '../../errors.ts'

/** Names as they may stand in Host, without a port. Throws `usage/invalid` for what never could. */
export function parseTrustedHosts(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map(parseTrustedHost))
}

/** Origins of web pages as browsers send them. Throws `usage/invalid` for what no browser sends. */
export function parseTrustedOrigins(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.map(parseTrustedOrigin))
}

function parseTrustedHost(text: string): string {
  const host = normalizeHost(text)
  if (/^(?:[a-z0-9._-]+|[0-9a-f:.]*:[0-9a-f:.]*)$/.test(host) && !/^[^:]+:\d+$/.test(host))
    return host
  throw new SkillsError('usage/invalid', `"${text}" is no name of a host`, {
    hint: 'Write it as skills.example.com, without http:// and without a port',
  })
}

/** A host as it is compared: without the brackets of an address, in lower case. */
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
  // Such as chrome-extension://<id>, which URL knows no origin of.
  if (!isWeb && /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+$/.test(origin)) return origin
  throw new SkillsError('usage/invalid', `"${text}" is no origin of a web page`, {
    hint: 'Write it as https://app.example.com, without a path; "*" is not allowed',
  })
}
