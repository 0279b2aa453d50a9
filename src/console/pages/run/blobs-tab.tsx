import { toPrintable } from '../../../util/printable.ts'
import { useState } from 'preact/hooks'
import { formatBytes } from '../../../util/quantity.ts'
import { client, noteFailure } from '../../app/api.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { BlobPreview } from './blob-preview.tsx'
import type { RunTab, RunTabProps } from './run-tab.ts'
import { changeSearch } from '../../app/location.ts'
import { saveFile } from '../../app/save-file.ts'

type ListedBlob = RunTabProps['record']['blobs'][number]

/** Files that a run stored. */
export const BlobsTab: RunTab = ({ record: { blobs, request }, search }) => {
  const previewed = search.get('blob')
  if (blobs.length === 0 && request.input_blobs.length === 0) {
    return <p class="muted">This run read and stored no blobs.</p>
  }
  const chosen = blobs.find(({ blob_id }) => blob_id === previewed)
  return (
    <>
      <ul class="blobs">
        {blobs.map((blob) => (
          <li key={blob.blob_id}>
            <code>{blob.blob_id}</code> {toPrintable(blob.kind)}, {formatBytes(blob.size_bytes)}{' '}
            <button type="button" onClick={() => changeSearch({ blob: blob.blob_id })}>
              Preview
            </button>
            <SaveButton blob={blob} />
          </li>
        ))}
      </ul>
      {request.input_blobs.length > 0 && (
        <p>
          Read: <code>{request.input_blobs.join(', ')}</code>
        </p>
      )}
      {chosen && <BlobPreview key={chosen.blob_id} blob={chosen} />}
    </>
  )
}

/** Share of the bytes that have arrived; undefined if none is on its way. */
function SaveButton({ blob: { blob_id, kind, size_bytes } }: { blob: ListedBlob }) {
  const [received, setReceived] = useState<number>()
  const [error, setError] = useState<unknown>()
  const save = async () => {
    setError(undefined)
    setReceived(0)
    try {
      const { stream } = await client.value.downloadBlob(blob_id)
      const counted = stream.pipeThrough(countBytes((bytes) => setReceived(bytes)))
      const content = await new Response(counted).blob()
      saveFile(`${blob_id}${findExtension(kind)}`, content)
    } catch (thrown) {
      noteFailure(thrown)
      setError(thrown)
    }
    setReceived(undefined)
  }
  return (
    <>
      <button type="button" onClick={() => void save()} disabled={received !== undefined}>
        Save
      </button>
      {received !== undefined && (
        <progress aria-label={`Fetching ${blob_id}`} max={size_bytes} value={received} />
      )}
      {error !== undefined && <ErrorMessage error={error} />}
    </>
  )
}

function countBytes(report: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length
      report(bytes)
      controller.enqueue(chunk)
    },
  })
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/csv': '.csv',
  'text/tab-separated-values': '.tsv',
  'application/json': '.json',
  'text/markdown': '.md',
  'text/html': '.html',
  'text/plain': '.txt',
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/svg+xml': '.svg',
}

function findExtension(kind: string): string {
  return EXTENSIONS[kind.split(';')[0]?.trim() ?? ''] ?? ''
}
