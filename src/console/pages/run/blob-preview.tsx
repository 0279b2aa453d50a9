import { useEffect, useState } from 'preact/hooks'
import { toPrintable } from '../../../util/printable.ts'
import { formatBytes } from '../../../util/quantity.ts'
import { client, noteFailure } from '../../app/api.ts'
import { useMethod } from '../../app/use-method.ts'
import { CodeView } from '../../components/code-view.tsx'
import { JsonView } from '../../components/json-view.tsx'
import { Loading } from '../../components/loading.tsx'
import { MarkdownView } from '../../components/markdown-view.tsx'
import { parseTable } from '../../models/csv.ts'
import type { DocumentNode } from '../../models/markdown.ts'
import { findPreviewKind, PREVIEW_BYTES } from '../../models/preview-kind.ts'

interface BlobPreviewProps {
  blob: { blob_id: string; kind: string; size_bytes: number }
}

/** Content of a blob. Markup is shown in a frame without scripts, forms, links and requests. */
export function BlobPreview({ blob }: BlobPreviewProps) {
  const kind = findPreviewKind(blob.kind)
  const most = PREVIEW_BYTES[kind]
  const label = `Preview of ${blob.blob_id}`
  return (
    <section aria-label={label}>
      <h2>
        <code>{blob.blob_id}</code>
      </h2>
      {kind === 'none' && <p class="muted">There is no preview of {blob.kind}: save the file.</p>}
      {blob.size_bytes > most && kind !== 'none' ? (
        <p class="muted">
          A preview has at most {formatBytes(most)}, and this blob has{' '}
          {formatBytes(blob.size_bytes)}: save the file.
        </p>
      ) : kind === 'markdown' ? (
        <MarkdownPreview blobId={blob.blob_id} />
      ) : (
        kind !== 'none' && <BytesPreview blob={blob} kind={kind} />
      )}
    </section>
  )
}

function MarkdownPreview({ blobId }: { blobId: string }) {
  const state = useMethod('read_blob_document', { blob_id: blobId })
  return (
    <Loading state={state} label="the document">
      {({ tree }) => (
        <MarkdownView root={tree as unknown as DocumentNode} path="document.md" topLevel={3} />
      )}
    </Loading>
  )
}

function BytesPreview({ blob, kind }: BlobPreviewProps & { kind: string }) {
  const state = useBytes(blob.blob_id)
  return (
    <Loading state={state} label="the blob">
      {(bytes) => {
        if (kind === 'image') return <ImagePreview bytes={bytes} kind={blob.kind} />
        if (kind === 'html') return <FramePreview bytes={bytes} />
        const text = new TextDecoder().decode(bytes)
        if (kind === 'table') return <TablePreview text={text} kind={blob.kind} />
        const value = kind === 'json' ? tryParse(text) : undefined
        if (value !== undefined) return <JsonView value={value.parsed} />
        return <CodeView text={text} label="Text" />
      }}
    </Loading>
  )
}

function tryParse(text: string): { parsed: unknown } | undefined {
  try {
    return { parsed: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

function useBytes(blobId: string): { data: Uint8Array<ArrayBuffer> | undefined; error: unknown } {
  const [state, setState] = useState<{ data?: Uint8Array<ArrayBuffer>; error?: unknown }>({})
  useEffect(() => {
    const aborted = new AbortController()
    const read = async () => {
      const { stream } = await client.value.downloadBlob(blobId, { signal: aborted.signal })
      return new Uint8Array(await new Response(stream).arrayBuffer())
    }
    read().then(
      (data) => setState({ data }),
      (error: unknown) => {
        if (aborted.signal.aborted) return
        noteFailure(error)
        setState({ error })
      },
    )
    return () => aborted.abort()
  }, [blobId])
  return { data: state.data, error: state.error }
}

/** An address of bytes in this tab, which ends with the component. */
function useObjectUrl(bytes: Uint8Array<ArrayBuffer>, type: string): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const created = URL.createObjectURL(new Blob([bytes], { type }))
    setUrl(created)
    return () => URL.revokeObjectURL(created)
  }, [bytes, type])
  return url
}

interface BytesProps {
  bytes: Uint8Array<ArrayBuffer>
}

/** Browsers execute no script of an image, and load nothing for it. */
function ImagePreview({ bytes, kind }: BytesProps & { kind: string }) {
  const url = useObjectUrl(bytes, kind)
  return url === undefined ? null : <img class="preview" src={url} alt="Content of the blob" />
}

/** The frame has no origin and the policy of this page: no script, style of its own or request. */
function FramePreview({ bytes }: BytesProps) {
  const url = useObjectUrl(bytes, 'text/html')
  if (url === undefined) return null
  return <iframe class="preview-frame" sandbox="" src={url} title="Content of the blob" />
}

/** Fields that a table shows. */
const SHOWN = { maxRows: 500, maxColumns: 100 }

function TablePreview({ text, kind }: { text: string; kind: string }) {
  const separator = kind.startsWith('text/tab') ? '\t' : ','
  const { rows, isCut, isNarrowed } = parseTable(text, separator, SHOWN)
  const [head = [], ...body] = rows
  return (
    <>
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Table">
        <table>
          <thead>
            <tr>
              {head.map((field, at) => (
                <th key={at} scope="col">
                  {toPrintable(field)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {body.map((row, at) => (
              <tr key={at}>
                {row.map((field, column) => (
                  <td key={column}>{toPrintable(field)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {(isCut || isNarrowed) && (
        <p class="muted">
          The first {SHOWN.maxRows} rows and {SHOWN.maxColumns} columns are shown: save the file to
          see all.
        </p>
      )}
    </>
  )
}
