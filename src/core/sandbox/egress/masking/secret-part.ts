/** A value in which only one part is secret. */
interface SplitValue {
  before: string
  part: string
  after: string
}

/** A part of an address that is long enough to be a token. */
const TOKEN = /^.{16,}$/
/** Parts of an address that are no secret beside a token: words, versions, and short names of a path. */
const WORD = /^(?:[a-z]{0,12}|v?\d{1,4})$/i
const SHORT_NAME = /^[\w.-]{0,12}$/
/** Longer names of users are tokens at some services. */
const USER = /^[a-z][\w.-]{0,14}$/i

const ADDRESS =
  /^https?:\/\/(?:(?<user>[^@/?#:]*)(?::(?<password>[^@/?#]*))?@)?[^@/?#]*(?<path>[^?#]*)(?<query>\?[^#]*)?(?:#(?<fragment>.*))?$/s

/**
 * Finds what is secret in a value, since clients need the rest as it is: the password of an address, the only token in
 * its path or query, as of a webhook, or what follows the scheme of an Authorization header. Of an address in which
 * anything else could be secret too, nothing is shown.
 */
export function splitValue(value: string): SplitValue {
  const scheme = /^(?:Bearer|Basic|Token|ApiKey) +(?=\S)/i.exec(value)?.[0] ?? ''
  const found = findSecret(value)
  // A part that stands there twice would be shown once.
  const isOnce = found !== undefined && value.indexOf(found) === value.lastIndexOf(found)
  const part = isOnce ? found : value.slice(scheme.length)
  const start = value.lastIndexOf(part)
  return { before: value.slice(0, start), part, after: value.slice(start + part.length) }
}

function findSecret(value: string): string | undefined {
  const parts = ADDRESS.exec(value)?.groups
  if (!parts || !WORD.test(parts['fragment'] ?? '')) return undefined
  const others = listOthers(parts['path'] ?? '', parts['query'] ?? '')
  if (parts['user'] !== undefined) {
    const isOnly = others.length === 0 && USER.test(parts['user'])
    return isOnly ? parts['password'] || undefined : undefined
  }
  return others.length === 1 ? others.find((each) => TOKEN.test(each)) : undefined
}

/** Parts that could be secret. */
function listOthers(path: string, query: string): string[] {
  const values = query.split(/[?&]/).map((pair) => pair.slice(pair.indexOf('=') + 1))
  return [
    ...path.split('/').filter((name) => !SHORT_NAME.test(name)),
    ...values.filter((each) => !WORD.test(each)),
  ]
}
