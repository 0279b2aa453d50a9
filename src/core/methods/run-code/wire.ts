import type { PlainObject } from '../../skills/manifest/manifest.ts'

export interface RunCodeParams {
  language: string
  code: string
  /** The function that is called; `main` unless given. */
  entrypoint?: string | undefined
  args?: PlainObject | undefined
  /** Names, or `name@version`. */
  mount_skills?: readonly string[] | undefined
  input_blobs?: readonly string[] | undefined
  limits?: { timeout_ms?: number | undefined } | undefined
}
