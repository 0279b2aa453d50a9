import type { PlainObject } from '../skills/manifest/manifest.ts'
import { createSkillSchema } from '../skills/scaffold/skill-schema.ts'
import { createCassetteSchema } from './cassette-schema.ts'
import { createConfigSchema } from './config-schema.ts'
import { createEvalsSchema } from './evals-schema.ts'
import { createFrontMatterSchema } from './front-matter-schema.ts'
import { createPolicySchema } from './policy-schema.ts'
import { createTestSchema } from './test-schema.ts'

/** JSON Schemas by the name that `skills schema` takes; published as `<name>.schema.json`. */
export const SCHEMAS = {
  skill: createSkillSchema,
  'front-matter': createFrontMatterSchema,
  config: createConfigSchema,
  policy: createPolicySchema,
  test: createTestSchema,
  cassette: createCassetteSchema,
  evals: createEvalsSchema,
} as const satisfies Record<string, () => PlainObject>
