const HANDSHAKE = 0x16
const CLIENT_HELLO = 1
const SERVER_NAME = 0
const PROTOCOLS = 16
const HOST_NAME = 0
const MAX_BYTES = 32 * 1024
/** Per message. Bounds the work, because every chunk is parsed together with all previous ones. */
const MAX_RECORDS = 64

/** Classification of the first bytes of a connection. */
export type ClientHello =
  | { kind: 'tls'; serverName: string | undefined; protocols: readonly string[] | undefined }
  | { kind: 'other' }
  /** The message is incomplete. */
  | { kind: 'more' }

/** Reads the server name (SNI) and the protocols (ALPN) of a TLS client hello, which is not encrypted. */
export function readClientHello(bytes: Buffer): ClientHello {
  try {
    const message = joinRecords(bytes)
    return message ? { kind: 'tls', ...parseExtensions(message) } : classifyIncomplete(bytes)
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
function parseExtensions(hello: Buffer) {
  let at = 2 + 32
  at += 1 + hello.readUInt8(at)
  at += 2 + hello.readUInt16BE(at)
  at += 1 + hello.readUInt8(at)
  if (at === hello.length) return { serverName: undefined, protocols: undefined }
  const end = at + 2 + hello.readUInt16BE(at)
  if (end !== hello.length) throw new Error('bytes after the extensions')
  const names: Buffer[] = []
  let protocols: string[] | undefined
  for (at += 2; at < end;) {
    const size = hello.readUInt16BE(at + 2)
    if (at + 4 + size > end) throw new Error('an extension exceeds the message')
    const content = hello.subarray(at + 4, at + 4 + size)
    if (hello.readUInt16BE(at) === SERVER_NAME) names.push(content)
    if (hello.readUInt16BE(at) === PROTOCOLS) protocols = parseProtocols(content)
    at += 4 + size
  }
  if (names.length > 1) throw new Error('two server names')
  return { serverName: names[0] && parseHostName(names[0]), protocols }
}

function parseProtocols(list: Buffer): string[] {
  const names: string[] = []
  for (let at = 2; at < list.length;) {
    const size = list.readUInt8(at)
    names.push(list.toString('latin1', at + 1, at + 1 + size))
    at += 1 + size
  }
  return names
}

function parseHostName(list: Buffer): string {
  const size = list.readUInt16BE(3)
  const isOne = list.readUInt16BE(0) === list.length - 2 && list.length === 5 + size
  if (!isOne || list.readUInt8(2) !== HOST_NAME) throw new Error('not one host name')
  return list.toString('latin1', 5)
}
