export const READ_MODES = ['sample_head', 'sample_tail', 'full'] as const

export interface ReadBlobParams {
  blob_id: string
  mode?: (typeof READ_MODES)[number] | undefined
  /** Of a sample; `full` is whole or refused. */
  max_bytes?: number | undefined
}

export interface ReadBlobResult {
  content: string
  /** Present where the bytes are no UTF-8. */
  encoding?: 'base64'
  /** Exactly when something is missing. */
  truncated: boolean
  kind: string
  /** Of the whole blob. */
  size_bytes: number
}
