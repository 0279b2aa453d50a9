import type { Rule } from '../../rule.ts'
import { DISCOURAGED_CHARACTER } from './discouraged-character.ts'
import { DUPLICATE_SKILL } from './duplicate-skill.ts'
import { FOLDER_VERSION } from './folder-version.ts'
import { INVALID_NAME } from './invalid-name.ts'
import { LONG_NAME } from './long-name.ts'
import { MIXED_SCRIPTS } from './mixed-scripts.ts'
import { NAMESPACE_MISMATCH } from './namespace-mismatch.ts'
import { NOT_IMPORTABLE } from './not-importable.ts'
import { RESERVED_NAME } from './reserved-name.ts'

export const NAMING_RULES: readonly Rule[] = [
  DISCOURAGED_CHARACTER,
  DUPLICATE_SKILL,
  FOLDER_VERSION,
  INVALID_NAME,
  LONG_NAME,
  MIXED_SCRIPTS,
  NAMESPACE_MISMATCH,
  NOT_IMPORTABLE,
  RESERVED_NAME,
]
