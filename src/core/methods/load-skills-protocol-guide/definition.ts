import { z } from 'zod'
import { defineMethod } from '../define-method.ts'

export const loadSkillsProtocolGuideMethod = defineMethod({
  name: 'load_skills_protocol_guide',
  description:
    "Load the Skills Protocol Guide to learn how to use these tools. Call this first if you haven't read the guide yet.",
  params: z.strictObject({}),
  result: z.object({ content: z.string() }),
})
