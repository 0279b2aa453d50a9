export interface CreateBlobParams {
  content: string
  /** A MIME type. */
  kind: string
  /** Given where `content` is base64 of bytes. */
  encoding?: 'base64' | undefined
}

export interface CreateBlobResult {
  blob_id: string
  size_bytes: number
}
