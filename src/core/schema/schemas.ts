import type { PlainObject } from '../skills/manifest/manifest.ts'
import { createConfigSchema } from './config-schema.ts'
import { createPolicySchema } from './policy-schema.ts'
import { createSkillSchema } from './skill-schema.ts'

/** JSON Schemas by the name that `skills schema` takes; published as `<name>.schema.json`. */
export const SCHEMAS = {
  skill: createSkillSchema,
  config: createConfigSchema,
  policy: createPolicySchema,
} as const satisfies Record<string, () => PlainObject>
