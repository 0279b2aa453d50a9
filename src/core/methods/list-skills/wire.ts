export interface ListSkillsParams {
  namespace?: string | undefined
  detail?: 'names' | 'summary' | undefined
  limit?: number | undefined
  cursor?: string | null | undefined
}

export interface ListedSkill {
  name: string
  version: string
  description: string
  namespace: string
  kind: 'action' | 'instruction'
  tags?: readonly string[]
  short_description?: string | null
  inputs?: readonly string[]
}

export interface ListSkillsResult {
  skills: ListedSkill[]
  next_cursor: string | null
}
