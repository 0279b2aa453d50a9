/** Characters that `encodeURIComponent` leaves, and subjects do not allow or this encoding uses. */
const LEFT = /[.!~*'()]/g
/** The empty text; a part of a subject is never empty. */
const EMPTY = '='

/** Encodes a text as one part of a subject: `demo.tool` is `demo=2Etool`. */
export function encodeToken(text: string): string {
  if (text === '') return EMPTY
  const escaped = encodeURIComponent(text).replace(
    LEFT,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return escaped.replaceAll('%', '=')
}

/** Undefined for a part that `encodeToken` did not return. */
export function decodeToken(token: string): string | undefined {
  if (token === EMPTY) return ''
  try {
    const text = decodeURIComponent(token.replaceAll('=', '%'))
    return encodeToken(text) === token ? text : undefined
  } catch {
    return undefined
  }
}
