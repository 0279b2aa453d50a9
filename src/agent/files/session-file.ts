import { createHash } from 'node:crypto'
import { SkillsError } from '../../errors.ts'
import { formatBytes } from '../../util/quantity.ts'

/** A file of a conversation. It needs exactly one of `data`, `text`, `url` and `fileId`. */
export interface SessionFile {
  /** Name for the file in the workspace; folders in it are ignored. */
  name?: string | undefined
  mimeType?: string | undefined
  /** Content as bytes or as base64. */
  data?: Uint8Array | string | undefined
  /** Content as text. */
  text?: string | undefined
  /** A `data:` URL, or an address for the session's `downloader`. */
  url?: string | undefined
  /** `artifact://…`, `blob:…`, or an id of a provider for the session's `downloader`. */
  fileId?: string | undefined
}

/** A file in the workspace of a conversation. */
export interface StagedSessionFile {
  /** Path in the workspace, such as `work/inputs/notes.txt`. */
  path: string
  /** Name that the file had in the conversation. */
  originalName?: string
  mimeType: string
  sizeBytes: number
}

/** Origin of a file's content. */
type FileSource =
  | { bytes: Uint8Array }
  /** Content that the runtime itself has. */
  | { stored: string }
  | { url: string }
  | { fileId: string }

/** A file whose options were checked. */
export interface CheckedFile {
  /** Identifies the content: equal files are copied once. */
  key: string
  name: string | undefined
  mimeType: string | undefined
  source: FileSource
}

/** A file of the conversation, and its copy in the workspace. */
export interface FileEntry {
  file: CheckedFile
  /** True if the program added it; false if a message contains it. */
  isAdded: boolean
  content?: { id: string; bytes?: Uint8Array }
  staged?: StagedSessionFile
  problem?: string
}

/** Limits of one conversation. */
export const MAX_FILES = 100
export const MAX_FILE_BYTES: number = 64 * 1024 ** 2
export const MAX_TOTAL_BYTES: number = 256 * 1024 ** 2

/** Checks a file and decodes its content; throws if the file has no content or several. */
export function checkSessionFile(file: SessionFile): CheckedFile {
  const { name, mimeType } = file
  const given = SOURCES.filter((each) => file[each] !== undefined)
  if (given.length !== 1) {
    const found = given.length === 0 ? 'none of them' : given.join(' and ')
    throw invalidFileError(name, `expected one of ${SOURCES.join(', ')}, got ${found}`)
  }
  const { source, mimeType: ownType } = readSource(file)
  return { key: deriveKey(source), name, mimeType: mimeType ?? ownType, source }
}

const SOURCES = ['data', 'text', 'url', 'fileId'] as const

function readSource({ name, data, text, url, fileId }: SessionFile): {
  source: FileSource
  mimeType?: string | undefined
} {
  if (text !== undefined) {
    return { source: { bytes: checkSize(name, Buffer.from(text)) }, mimeType: 'text/plain' }
  }
  if (data !== undefined) {
    const bytes = typeof data === 'string' ? decodeBase64(name, data) : data
    if (!ArrayBuffer.isView(bytes)) throw invalidFileError(name, 'data is neither bytes nor base64')
    return { source: { bytes: checkSize(name, bytes) } }
  }
  if (url !== undefined) return readUrl(name, url)
  const id = String(fileId)
  if (id.trim() === '') throw invalidFileError(name, 'fileId is empty')
  return { source: /^(?:artifact:\/\/|blob:)/.test(id) ? { stored: id } : { fileId: id } }
}

const DATA_URL = /^data:([^,;]*)((?:;[^,;]*)*),/i

function readUrl(
  name: string | undefined,
  url: string,
): { source: FileSource; mimeType?: string | undefined } {
  const [head, mimeType = '', parameters = ''] = DATA_URL.exec(url) ?? []
  if (head === undefined) {
    if (url.trim() === '') throw invalidFileError(name, 'url is empty')
    return { source: { url } }
  }
  const content = url.slice(head.length)
  const isBase64 = /;base64$/i.test(parameters)
  const bytes = isBase64 ? decodeBase64(name, content) : decodePercent(name, content)
  return {
    source: { bytes: checkSize(name, bytes) },
    ...(mimeType !== '' && { mimeType }),
  }
}

/** Accepts both alphabets of base64; anything else would be decoded to garbage. */
function decodeBase64(name: string | undefined, text: string): Uint8Array {
  const plain = /\s/.test(text) ? text.replaceAll(/\s/g, '') : text
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(plain))
    throw invalidFileError(name, 'its data is not base64')
  return Buffer.from(plain, 'base64')
}

function decodePercent(name: string | undefined, text: string): Uint8Array {
  try {
    return Buffer.from(decodeURIComponent(text))
  } catch {
    throw invalidFileError(name, 'its data: URL is not percent-encoded text')
  }
}

export function checkSize(name: string | undefined, bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength <= MAX_FILE_BYTES) return bytes
  const size = formatBytes(bytes.byteLength)
  throw invalidFileError(name, `it has ${size}, expected at most ${formatBytes(MAX_FILE_BYTES)}`)
}

function deriveKey(source: FileSource): string {
  if ('bytes' in source) return hashContent(source.bytes)
  if ('stored' in source) return source.stored
  const address = 'url' in source ? source.url : source.fileId
  return `remote:${createHash('sha256').update(address).digest('hex')}`
}

/** The id under which the runtime knows the content of a file. */
export function hashContent(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

export function invalidFileError(name: string | undefined, reason: string): SkillsError {
  const shown =
    name === undefined ? 'A file of the conversation' : JSON.stringify(name.slice(0, 200))
  return new SkillsError('usage/invalid', `${shown} cannot be added: ${reason}`)
}
