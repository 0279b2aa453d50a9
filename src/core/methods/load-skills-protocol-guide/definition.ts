import { z } from 'zod'
import type { Method } from '../method.ts'
import { loadSkillsProtocolGuide } from './run.ts'

export const loadSkillsProtocolGuideMethod: Method<Record<string, never>, { content: string }> = {
  name: 'load_skills_protocol_guide',
  description:
    "Load the Skills Protocol Guide to learn how to use these tools. Call this first if you haven't read the guide yet.",
  readOnly: true,
  params: z.strictObject({}),
  result: z.object({ content: z.string() }),
  run: loadSkillsProtocolGuide,
}
