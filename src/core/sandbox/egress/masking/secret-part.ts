/** A value in which only one part is secret. */
interface SplitValue {
  before: string
  part: string
  after: string
}

/** Shorter pieces of an address are words. */
const MIN_PIECE = 16

/**
 * Finds what is secret in a value: the password of an address or its longest piece, as of a webhook, and what follows the
 * scheme of an Authorization header. Clients need the rest as it is.
 */
export function splitValue(value: string): SplitValue {
  const scheme = /^(?:Bearer|Basic|Token|ApiKey) +/i.exec(value)?.[0] ?? ''
  const address = /^https?:\/\/(?:[^@/?#]*:([^@/?#]+)@)?[^/?#]*([^#]*)/d.exec(value)
  const [start, end] = address ? findSecret(address) : [scheme.length, value.length]
  return { before: value.slice(0, start), part: value.slice(start, end), after: value.slice(end) }
}

function findSecret(address: RegExpExecArray & { indices?: RegExpIndicesArray }): [number, number] {
  const [whole, password, rest = ''] = address
  if (password !== undefined) return address.indices?.[1] ?? [0, whole.length]
  const pieces = [...rest.matchAll(/[^/?&=]+/g)].filter(([piece]) => piece.length >= MIN_PIECE)
  const [longest] = pieces.sort(([a], [b]) => b.length - a.length)
  if (!longest) return [0, address.input.length]
  const start = whole.length - rest.length + longest.index
  return [start, start + longest[0].length]
}
