import type { Rule } from '../rule.ts'
import { SCHEMA_RULES } from './schema/index.ts'
import { NAMING_RULES } from './naming/index.ts'
import { FILES_RULES } from './files/index.ts'
import { ENTRYPOINT_RULES } from './entrypoint/index.ts'
import { INPUTS_RULES } from './inputs/index.ts'
import { PERMISSIONS_RULES } from './permissions/index.ts'
import { DOCS_RULES } from './docs/index.ts'
import { TESTS_RULES } from './tests/index.ts'
import { PORTABILITY_RULES } from './portability/index.ts'
import { HYGIENE_RULES } from './hygiene/index.ts'
import { SAFETY_RULES } from './safety/index.ts'

/** All rules by area. A rule that is not listed here does not run. */
export const RULES: readonly Rule[] = [
  ...SCHEMA_RULES,
  ...NAMING_RULES,
  ...FILES_RULES,
  ...ENTRYPOINT_RULES,
  ...INPUTS_RULES,
  ...PERMISSIONS_RULES,
  ...DOCS_RULES,
  ...TESTS_RULES,
  ...PORTABILITY_RULES,
  ...HYGIENE_RULES,
  ...SAFETY_RULES,
]
