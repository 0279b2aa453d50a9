import { z } from 'zod'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { plainRecord } from '../json-object.ts'
import { SKILL_PARAMS } from '../skill-params.ts'

export const readSkillDocumentMethod = defineMethod({
  name: 'read_skill_document',
  description:
    'Read a Markdown document of a skill as a syntax tree, without front matter and positions.',
  params: z.strictObject({
    ...SKILL_PARAMS,
    path: z.string().default('SKILL.md').describe('Path of the document within the skill'),
  }),
  result: z.object({
    path: z.string(),
    size_bytes: z.int(),
    tree: plainRecord.describe('The root node; markup in the document is a node of the type html'),
  }),
})

export type ReadSkillDocumentParams = MethodParams<typeof readSkillDocumentMethod>
export type ReadSkillDocumentResult = MethodResult<typeof readSkillDocumentMethod>
