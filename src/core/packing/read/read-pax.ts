import { decodeName } from './archive-entries.ts'
import { invalidArchiveError, invalidEntryError } from './archive-error.ts'

/** Facts that do not change the content of a file. */
const HARMLESS =
  /^(?:path|mtime|atime|ctime|uid|gid|uname|gname|comment|hdrcharset|(?:LIBARCHIVE|SCHILY)\.[\w.-]+)$/

/** Reads the records of a PAX header, and returns the path that they set. */
export function readPax(bytes: Buffer): string | undefined {
  const records = new Map<string, string>()
  for (let at = 0; at < bytes.length;) {
    const digits = /^[1-9]\d{0,6}(?= )/.exec(bytes.toString('latin1', at, at + 8))?.[0]
    const end = at + Number(digits)
    if (digits === undefined || end > bytes.length || bytes[end - 1] !== 10) {
      throw invalidArchiveError('a PAX header is damaged')
    }
    const record = bytes.subarray(at + digits.length + 1, end - 1)
    const split = record.indexOf('=')
    const key = record.toString('latin1', 0, Math.max(0, split))
    if (!HARMLESS.test(key)) {
      throw invalidArchiveError(`a PAX header sets ${JSON.stringify(key.slice(0, 40))}`)
    }
    if (records.has(key)) throw invalidArchiveError(`a PAX header sets "${key}" twice`)
    records.set(key, readValue(key, record.subarray(split + 1)))
    at = end
  }
  return records.get('path')
}

function readValue(key: string, bytes: Buffer): string {
  if (key !== 'path') return ''
  const text = decodeName(bytes)
  if (text === undefined) throw invalidArchiveError('a PAX header has a name that is not UTF-8')
  return text
}

/**
 * Refuses a path that replaces another one: a reader without PAX would see another file. It must be
 * too long or not ASCII, and the name in the header must be the beginning of it.
 */
export function checkPaxPath(path: string, header: string): string {
  if (path === header) return path
  const isNeeded = Buffer.byteLength(path) > 100 || !/^[ -~]*$/.test(path)
  if (isNeeded && keepPlain(path).startsWith(keepPlain(header))) return path
  throw invalidEntryError(path, `replaces the path ${JSON.stringify(header.slice(0, 200))}`)
}

/** Writers replace other characters in various ways. */
function keepPlain(path: string): string {
  return path.replace(/[^0-9A-Za-z./ -]/g, '')
}
