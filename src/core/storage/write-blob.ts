import type { BlobInfo, BlobStore } from './blob-store.ts'

/** Stores a sequence of chunks as a blob; a failure leaves nothing behind. */
export async function writeBlob(
  store: BlobStore,
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  kind: string,
): Promise<BlobInfo> {
  const writer = await store.writer({ kind })
  try {
    for await (const chunk of source) await writer.write(chunk)
  } catch (error) {
    await writer.abort()
    throw error
  }
  return await writer.commit()
}
