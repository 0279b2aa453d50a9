export interface ReadSkillFileParams {
  name: string
  version?: string | undefined
  path: string
}

export interface ReadSkillFileResult {
  content: string
  /** Present where the bytes are no text. */
  encoding?: 'base64'
  kind: string
  size_bytes: number
}
