// The return value as JSON. A value that JSON cannot represent without loss is rejected, with its
// path.
/** Those of the start: code of an earlier cell of a kernel may replace them. */
const stringify = JSON.stringify.bind(JSON)
const from = Buffer.from.bind(Buffer)
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
  const data = from(stringify(toPlain(value, '', [])) ?? 'null')
  if (data.length > MAX_BYTES) {
    const message = `it has ${data.length} bytes, and a result may have ${MAX_BYTES} at most`
    throw new NotSerialisable(message, 'Write it into a blob with blobs.writeJson()')
  }
  return data
}

function toPlain(input, path, ancestors) {
  const value = typeof input?.toJSON === 'function' && !isBytes(input) ? input.toJSON('') : input
  switch (typeof value) {
    case 'undefined':
      return null
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return checkResultNumber(value, path)
    case 'object':
      return value === null ? null : toPlainObject(value, path, ancestors)
    default:
      throw createError(`a ${typeof value}`, path, PLAIN)
  }
}

function toPlainObject(value, path, ancestors) {
  if (isBytes(value)) {
    const hint = 'Write bytes into a blob with blobs.writeBytes(), or decode them'
    throw createError('bytes', path, hint)
  }
  if (ancestors.includes(value)) throw createError('a value that contains itself', path, FLAT)
  if (ancestors.length >= MAX_DEPTH) {
    throw new NotSerialisable(`it is nested more than ${MAX_DEPTH} levels deep`, FLAT)
  }
  const ancestorsWithSelf = [...ancestors, value]
  if (Array.isArray(value)) {
    return Array.from(value, (each, at) => toPlain(each, `${path}[${at}]`, ancestorsWithSelf))
  }
  const name = value.constructor?.name
  if (Object.hasOwn(HINTS, name)) throw createError(`a ${name}`, path, HINTS[name])
  const members = Object.entries(value).filter(([, each]) => each !== undefined)
  return Object.fromEntries(
    members.map(([key, each]) => [
      key,
      toPlain(each, `${path}.${key.slice(0, 40)}`, ancestorsWithSelf),
    ]),
  )
}

function checkResultNumber(value, path) {
  if (!Number.isFinite(value)) {
    throw createError(String(value), path, 'Return null where there is no number')
  }
  if (Number.isSafeInteger(value) || !/^-?\d+$/.test(String(value))) return value
  throw createError('an integer beyond 2**53', path, 'Return it as a string with String()')
}

function isBytes(value) {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer
}

function createError(valueText, path, hint) {
  return new NotSerialisable(
    path === '' ? valueText : `${valueText} at ${path.slice(0, 200)}`,
    hint,
  )
}
