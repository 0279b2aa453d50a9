import { z } from 'zod'
import { defineMethod, type MethodParams, type MethodResult } from '../define-method.ts'
import { plainRecord, toReadonlySchema } from '../json-object.ts'
import { SKILL_PARAMS } from '../skill-params.ts'

const input = z.object({
  name: z.string(),
  type: z.string(),
  description: z.string().nullable(),
  required: z.boolean(),
  default: z.unknown().exactOptional(),
  enum: toReadonlySchema(z.array(z.unknown())).exactOptional(),
})

export const inspectSkillMethod = defineMethod({
  name: 'inspect_skill',
  description:
    'Return what a person has to know of a skill before running it: inputs, rights in words, requirements, files, examples and tests.',
  params: z.strictObject(SKILL_PARAMS),
  result: z.object({
    name: z.string(),
    version: z.string(),
    versions: toReadonlySchema(z.array(z.string())),
    description: z.string(),
    kind: z.enum(['action', 'instruction']),
    namespace: z.string(),
    tags: toReadonlySchema(z.array(z.string())),
    digest: z.string().nullable().describe('Digest of all files; null if they have none'),
    language: z.string().nullable(),
    entrypoint: z.string().nullable(),
    inputs: toReadonlySchema(z.array(input)),
    rights: toReadonlySchema(
      z.array(z.object({ kind: z.string(), value: z.string(), sentence: z.string() })),
    ),
    missing: toReadonlySchema(z.array(z.object({ sentence: z.string(), fix: z.string() }))),
    files: toReadonlySchema(
      z.array(
        z.object({
          path: z.string(),
          size_bytes: z.int(),
          executable: z.boolean(),
          is_document: z.boolean(),
        }),
      ),
    ),
    examples: toReadonlySchema(z.array(z.object({ name: z.string(), args: plainRecord }))),
    tests: toReadonlySchema(
      z.array(
        z.object({
          file: z.string(),
          cases: toReadonlySchema(
            z.array(
              z.object({
                name: z.string(),
                kind: z.string(),
                tags: toReadonlySchema(z.array(z.string())),
              }),
            ),
          ),
          problems: toReadonlySchema(z.array(z.string())),
        }),
      ),
    ),
  }),
})

export type InspectSkillParams = MethodParams<typeof inspectSkillMethod>
export type InspectSkillResult = MethodResult<typeof inspectSkillMethod>
