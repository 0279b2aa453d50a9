import { formatBytes } from '../../../util/quantity.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { MAX_DOCUMENT_BYTES, parseDocument, refuseDocument } from '../parse-document.ts'
import type { ReadBlobDocumentParams, ReadBlobDocumentResult } from './definition.ts'

const HINT = 'Read it with read_blob'

/** `read_blob_document`: parses a document that a run stored. */
export async function readBlobDocument(
  services: Pick<Services, 'blobs' | 'offloader'>,
  { blob_id: id }: ReadBlobDocumentParams,
  call: Pick<RunCall, 'signal' | 'caller'>,
): Promise<ReadBlobDocumentResult> {
  const store = await services.blobs()
  const { size } = await store.info(id)
  if (size > MAX_DOCUMENT_BYTES) {
    throw refuseDocument(id, `it has more than ${formatBytes(MAX_DOCUMENT_BYTES)}`, HINT)
  }
  const chunks: Buffer[] = []
  for await (const chunk of await store.read(id)) chunks.push(chunk as Buffer)
  const tree = await parseDocument(
    services,
    { name: id, bytes: Buffer.concat(chunks), hint: HINT },
    call,
  )
  return { size_bytes: size, tree }
}
