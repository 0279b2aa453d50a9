import type { PlainObject } from '../skills/manifest/manifest.ts'
import { configSchema } from './config-schema.ts'
import { policySchema } from './policy-schema.ts'
import { skillSchema } from './skill-schema.ts'

/** Every JSON Schema, by the name that `skills schema` takes; shipped as `<name>.schema.json`. */
export const SCHEMAS = {
  skill: skillSchema,
  config: configSchema,
  policy: policySchema,
} as const satisfies Record<string, () => PlainObject>
