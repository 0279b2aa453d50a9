import { useEffect, useRef, useState } from 'preact/hooks'
import { formatBytes } from '../../../util/quantity.ts'
import { uploadFile } from '../../app/upload-file.ts'
import { ErrorMessage } from '../error-message.tsx'

interface BlobFieldProps {
  id: string
  describedBy: string | undefined
  /** Id of the blob. */
  text: string | undefined
  onChange: (text: string | undefined) => void
}

type Upload =
  | { state: 'sending'; name: string; size: number; share: number }
  | { state: 'stored'; name: string; size: number; digest: string }
  | { state: 'failed'; error: unknown }

/** A file that is stored as a blob, by choice or by drop; or the id of a stored one. */
export function BlobField({ id, describedBy, text, onChange }: BlobFieldProps) {
  const [upload, setUpload] = useState<Upload>()
  // Only the last choice counts, whichever upload ends first.
  const round = useRef(0)
  const send = async (file: File | undefined) => {
    if (!file) return
    const own = startRound(round)
    const show = (next: Upload) => own === round.current && setUpload(next)
    const { name, size } = file
    const showShare = (share: number) => show({ state: 'sending', name, size, share })
    showShare(0)
    try {
      const stored = await uploadFile(file, showShare)
      if (own === round.current) onChange(stored.blob_id)
      show({ state: 'stored', name, size, digest: stored.digest ?? '' })
    } catch (error) {
      show({ state: 'failed', error })
    }
  }
  useEffect(() => () => void startRound(round), [])
  const type = (typed: string) => {
    startRound(round)
    setUpload(undefined)
    onChange(typed || undefined)
  }
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    void send(event.dataTransfer?.files[0])
  }
  return (
    <div class="blob-field" onDragOver={(event) => event.preventDefault()} onDrop={onDrop}>
      <input
        id={id}
        aria-describedby={describedBy}
        value={text ?? ''}
        placeholder="Drop a file here, or enter the id of a blob"
        onInput={(event) => type(event.currentTarget.value)}
      />
      <input
        type="file"
        aria-label={`File for ${id.slice('input-'.length)}`}
        onChange={(event) => void send(event.currentTarget.files?.[0])}
      />
      <p aria-live="polite" class="muted">
        {upload?.state === 'sending' && `Sending ${upload.name}, ${formatBytes(upload.size)}`}
        {upload?.state === 'stored' &&
          `Stored ${upload.name}, ${formatBytes(upload.size)}, ${upload.digest}`}
      </p>
      {upload?.state === 'sending' && (
        <progress aria-label={`Sending ${upload.name}`} value={upload.share} />
      )}
      {upload?.state === 'failed' && <ErrorMessage error={upload.error} />}
    </div>
  )
}

function startRound(round: { current: number }): number {
  round.current += 1
  return round.current
}
