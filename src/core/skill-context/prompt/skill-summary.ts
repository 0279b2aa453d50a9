/** The part of a skill that a model sees before it loads the skill. */
export interface SkillSummary {
  name: string
  description: string
}
