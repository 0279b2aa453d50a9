import { formatBytes } from '../../util/quantity.ts'
import { invalidFileError, MAX_FILE_BYTES, checkSize } from './session-file.ts'

/** A file whose content is elsewhere. */
export interface DownloadRequest {
  /** Set if the file has an address. */
  url?: string
  /** Set if the file has an id of a provider. */
  fileId?: string
  name?: string
  mimeType?: string
}

/** Content of a file; a stream is read up to the limit of a file. */
export type DownloadedContent = Uint8Array | ArrayBuffer | AsyncIterable<Uint8Array>

/** Content with what the source knows about it. */
export interface DownloadedFile {
  data: DownloadedContent
  name?: string | undefined
  mimeType?: string | null | undefined
}

/**
 * Downloads a file of the conversation. The program decides which addresses are allowed; without a
 * downloader nothing is downloaded.
 */
export type FileDownloader = (
  request: DownloadRequest,
  options: { signal: AbortSignal },
) => Promise<DownloadedContent | DownloadedFile>

/** Longest time for one download. */
const TIMEOUT_MS = 120_000

/** Calls the program's downloader and reads the content up to the limit. */
export async function downloadFile(
  downloader: FileDownloader,
  request: DownloadRequest,
): Promise<{ bytes: Uint8Array; name: string | undefined; mimeType: string | undefined }> {
  const ended = new AbortController()
  const timer = setTimeout(() => ended.abort(new Error('it took too long')), TIMEOUT_MS)
  const aborted = new Promise<never>((_resolve, reject) => {
    ended.signal.addEventListener('abort', () => reject(ended.signal.reason as Error))
  })
  const work = async () => {
    const found = await downloader(request, { signal: ended.signal })
    const file = isContent(found) ? { data: found } : found
    const bytes = await readContent(request.name, file.data)
    const mimeType = file.mimeType?.split(';')[0]?.trim()
    return { bytes, name: file.name, mimeType: mimeType === '' ? undefined : mimeType }
  }
  try {
    return await Promise.race([work(), aborted])
  } finally {
    clearTimeout(timer)
  }
}

function isContent(found: DownloadedContent | DownloadedFile): found is DownloadedContent {
  return (
    ArrayBuffer.isView(found) ||
    found instanceof ArrayBuffer ||
    (typeof found === 'object' && found !== null && Symbol.asyncIterator in found)
  )
}

async function readContent(name: string | undefined, data: DownloadedContent): Promise<Uint8Array> {
  if (ArrayBuffer.isView(data)) return checkSize(name, data)
  if (data instanceof ArrayBuffer) return checkSize(name, new Uint8Array(data))
  if (typeof data !== 'object' || data === null || !(Symbol.asyncIterator in data)) {
    throw invalidFileError(name, 'the downloader returned neither bytes nor a stream of bytes')
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of data) {
    size += chunk.byteLength
    // Leaving the loop ends the stream.
    if (size > MAX_FILE_BYTES) {
      const limit = formatBytes(MAX_FILE_BYTES)
      throw invalidFileError(name, `it has more than ${limit}, the most for a file`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
