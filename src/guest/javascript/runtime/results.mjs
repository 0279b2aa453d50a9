// The return value as JSON. A value that JSON cannot represent without loss is rejected, with its
// path.
const MAX_BYTES = 8 << 20
const MAX_DEPTH = 100

/** The reason why a value cannot be a result. */
export class NotSerialisable extends Error {
  constructor(message, hint) {
    super(message)
    this.hint = hint
  }
}

const PLAIN = 'Return only objects, arrays, strings, finite numbers, booleans and null'
const FLAT = 'Return a flatter value, or write it into a blob'
const HINTS = {
  Map: 'Return it as an object with Object.fromEntries()',
  Set: 'Return it as an array with [...value]',
  Promise: 'Await it before it is returned',
}

/** Serialises a value to bytes of JSON. `undefined` becomes null, also in arrays. */
export function serialise(value) {
  const data = Buffer.from(JSON.stringify(plain(value, '', [])) ?? 'null')
  if (data.length > MAX_BYTES) {
    const message = `it has ${data.length} bytes, and a result may have ${MAX_BYTES} at most`
    throw new NotSerialisable(message, 'Write it into a blob with blobs.writeJson()')
  }
  return data
}

function plain(given, place, ancestors) {
  const value = typeof given?.toJSON === 'function' && !isBytes(given) ? given.toJSON('') : given
  switch (typeof value) {
    case 'undefined':
      return null
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return finite(value, place)
    case 'object':
      return value === null ? null : plainObject(value, place, ancestors)
    default:
      throw refused(`a ${typeof value}`, place, PLAIN)
  }
}

function plainObject(value, place, ancestors) {
  if (isBytes(value)) {
    const hint = 'Write bytes into a blob with blobs.writeBytes(), or decode them'
    throw refused('bytes', place, hint)
  }
  if (ancestors.includes(value)) throw refused('a value that contains itself', place, FLAT)
  if (ancestors.length >= MAX_DEPTH) {
    throw new NotSerialisable(`it is nested more than ${MAX_DEPTH} levels deep`, FLAT)
  }
  const path = [...ancestors, value]
  if (Array.isArray(value)) {
    return Array.from(value, (each, at) => plain(each, `${place}[${at}]`, path))
  }
  const name = value.constructor?.name
  if (Object.hasOwn(HINTS, name)) throw refused(`a ${name}`, place, HINTS[name])
  const members = Object.entries(value).filter(([, each]) => each !== undefined)
  return Object.fromEntries(
    members.map(([key, each]) => [key, plain(each, `${place}.${key.slice(0, 40)}`, path)]),
  )
}

function finite(value, place) {
  if (Number.isFinite(value)) return value
  throw refused(String(value), place, 'Return null where there is no number')
}

function isBytes(value) {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer
}

function refused(what, place, hint) {
  return new NotSerialisable(place === '' ? what : `${what} at ${place.slice(0, 200)}`, hint)
}
