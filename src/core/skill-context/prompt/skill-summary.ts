/** What a model knows of a skill before it loads it. */
export interface SkillSummary {
  name: string
  description: string
}
