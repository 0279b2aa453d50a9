import type { Rule } from '../rule.ts'
import * as docs from './docs/index.ts'
import * as entrypoint from './entrypoint/index.ts'
import * as files from './files/index.ts'
import * as hygiene from './hygiene/index.ts'
import * as inputs from './inputs/index.ts'
import * as naming from './naming/index.ts'
import * as permissions from './permissions/index.ts'
import * as portability from './portability/index.ts'
import { SAFETY_RULES } from './safety/index.ts'
import * as schema from './schema/index.ts'
import { TESTS_RULES } from './tests/index.ts'

/** All rules by area. A rule that the index of its area does not export does not run. */
export const RULES: readonly Rule[] = [
  ...[schema, naming, files, entrypoint, inputs, permissions, docs].flatMap(listRules),
  ...TESTS_RULES,
  ...[portability, hygiene].flatMap(listRules),
  ...SAFETY_RULES,
]

function listRules(area: Readonly<Record<string, Rule>>): Rule[] {
  return Object.values(area).sort((a, b) => (a.id < b.id ? -1 : 1))
}
