import { buffer } from 'node:stream/consumers'
import type { Services } from '../../core/services.ts'
import type { CreatedBlob } from '../../core/testing/expectations/case-record.ts'

/** Reads the blobs that a run created. */
export async function readBlobs(
  { blobs }: Pick<Services, 'blobs'>,
  ids: readonly string[],
): Promise<CreatedBlob[]> {
  const store = await blobs()
  return await Promise.all(
    ids.map(async (id) => {
      const { kind, size } = await store.info(id)
      return { kind, sizeBytes: size, bytes: await buffer(await store.read(id)) }
    }),
  )
}
