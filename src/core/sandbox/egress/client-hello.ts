const HANDSHAKE = 0x16
const CLIENT_HELLO = 1
const SERVER_NAME = 0
const HOST_NAME = 0
const MAX_BYTES = 32 * 1024
/** Per message. Bounds the work, because every chunk is parsed together with all previous ones. */
const MAX_RECORDS = 64

/** Classification of the first bytes of a connection. */
export type ClientHello =
  | { kind: 'tls'; serverName: string | undefined }
  | { kind: 'other' }
  /** The message is incomplete. */
  | { kind: 'more' }

/** Reads the server name (SNI) of a TLS client hello, which is not encrypted. */
export function readClientHello(bytes: Buffer): ClientHello {
  try {
    const message = joinRecords(bytes)
    return message
      ? { kind: 'tls', serverName: parseServerName(message) }
      : classifyIncomplete(bytes)
  } catch {
    return { kind: 'other' }
  }
}

function classifyIncomplete(bytes: Buffer): ClientHello {
  return bytes.length < MAX_BYTES ? { kind: 'more' } : { kind: 'other' }
}

/** Joins the message; undefined while it is incomplete. */
function joinRecords(bytes: Buffer): Buffer | undefined {
  let message = Buffer.alloc(0)
  for (const record of readRecords(bytes)) {
    message = Buffer.concat([message, record])
    if (message.length > 0 && message[0] !== CLIENT_HELLO) throw new Error('no client hello')
    if (message.length < 4) continue
    const size = message.readUIntBE(1, 3)
    if (size > MAX_BYTES) throw new Error('too long')
    // Later records, such as early data, are not of this message: the result must not depend on
    // how many of them have arrived.
    if (message.length >= 4 + size) return message.subarray(4, 4 + size)
  }
  return undefined
}

/** Yields the contents of TLS records: a handshake message may span several. */
function* readRecords(bytes: Buffer): Generator<Buffer> {
  let count = 0
  for (let at = 0; at < bytes.length;) {
    if (bytes[at] !== HANDSHAKE) throw new Error('no handshake')
    if (at + 1 < bytes.length && bytes[at + 1] !== 3) throw new Error('no TLS')
    if (at + 5 > bytes.length) break
    const size = bytes.readUInt16BE(at + 3)
    if (size === 0) throw new Error('an empty record')
    if (++count > MAX_RECORDS) throw new Error('too many records')
    yield bytes.subarray(at + 5, at + 5 + size)
    at += 5 + size
  }
}

/** Skips the fields before the extensions. Reading past the end throws. */
function parseServerName(hello: Buffer): string | undefined {
  let at = 2 + 32
  at += 1 + hello.readUInt8(at)
  at += 2 + hello.readUInt16BE(at)
  at += 1 + hello.readUInt8(at)
  if (at === hello.length) return undefined
  const end = at + 2 + hello.readUInt16BE(at)
  if (end !== hello.length) throw new Error('bytes after the extensions')
  const names: Buffer[] = []
  for (at += 2; at < end;) {
    const size = hello.readUInt16BE(at + 2)
    if (at + 4 + size > end) throw new Error('an extension exceeds the message')
    if (hello.readUInt16BE(at) === SERVER_NAME) names.push(hello.subarray(at + 4, at + 4 + size))
    at += 4 + size
  }
  if (names.length > 1) throw new Error('two server names')
  return names[0] && parseHostName(names[0])
}

function parseHostName(list: Buffer): string {
  const size = list.readUInt16BE(3)
  const isOne = list.readUInt16BE(0) === list.length - 2 && list.length === 5 + size
  if (!isOne || list.readUInt8(2) !== HOST_NAME) throw new Error('not one host name')
  return list.toString('latin1', 5)
}
