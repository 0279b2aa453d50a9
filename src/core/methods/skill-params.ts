import { z } from 'zod'

/** Parameters that name a skill. */
export const SKILL_PARAMS = {
  name: z.string().describe('Skill name'),
  version: z.string().optional().describe('Skill version (omit for latest)'),
} as const
