/** Content that can be stored as a blob. */
export type BlobSource =
  | string
  | ArrayBuffer
  | Uint8Array
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>

/** True if the content can be sent a second time. */
export function isReplayable(content: BlobSource): boolean {
  if (typeof content === 'string' || content instanceof ArrayBuffer) return true
  return content instanceof Uint8Array || content instanceof Blob
}

/** Size in bytes or characters; 0 for streams. */
export function measureContent(content: BlobSource): number {
  if (typeof content === 'string') return content.length
  if (content instanceof ArrayBuffer || content instanceof Uint8Array) return content.byteLength
  return content instanceof Blob ? content.size : 0
}

/** Converts content for `fetch`. `onPiece` is called for every chunk that is read from a stream. */
export async function toBody(
  content: BlobSource,
  onPiece: () => void,
): Promise<NonNullable<RequestInit['body']>> {
  if (typeof content === 'string' || content instanceof Blob) return content
  if (content instanceof ArrayBuffer) return content
  if (content instanceof Uint8Array) return content as Uint8Array<ArrayBuffer>
  const stream = streamContent(content, onPiece)
  return supportsStreamUpload() ? stream : await new Response(stream).blob()
}

/**
 * Browsers upload streams over HTTP/2 only. There the content is collected in a Blob, which the
 * browser may store on disk.
 */
function supportsStreamUpload(): boolean {
  const { navigator } = globalThis as { navigator?: { userAgent?: string } }
  return navigator?.userAgent?.startsWith('Mozilla/') !== true
}

function streamContent(
  content: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
  onPiece: () => void,
): ReadableStream<Uint8Array> {
  const pieces = content instanceof ReadableStream ? fromReader(content) : fromIterable(content)
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next()
      onPiece()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async (reason) => await pieces.end(reason),
  })
}

interface ByteSource {
  next(): Promise<{ done: true; value?: undefined } | { done: false; value: Uint8Array }>
  end(reason: unknown): Promise<void>
}

/** ReadableStream is not async iterable in every browser. */
function fromReader(stream: ReadableStream<Uint8Array>): ByteSource {
  const reader = stream.getReader()
  return {
    next: async () => {
      const { done, value } = await reader.read()
      return done ? { done } : { done: false, value }
    },
    end: async (reason) => await reader.cancel(reason),
  }
}

function fromIterable(content: AsyncIterable<Uint8Array>): ByteSource {
  const iterator = content[Symbol.asyncIterator]()
  return {
    next: async () => {
      const { done, value } = await iterator.next()
      return done === true ? { done } : { done: false, value }
    },
    end: async () => void (await iterator.return?.()),
  }
}
