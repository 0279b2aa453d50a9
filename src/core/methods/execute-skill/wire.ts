import type { PlainObject } from '../../skills/manifest/manifest.ts'

export interface ExecuteSkillParams {
  name: string
  version?: string | undefined
  args?: PlainObject | undefined
  input_blobs?: readonly string[] | undefined
  timeout_ms?: number | undefined
}
