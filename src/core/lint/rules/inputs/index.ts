import type { Rule } from '../../rule.ts'
import { DEFAULT_NOT_ALLOWED } from './default-not-allowed.ts'
import { DEFAULT_TYPE } from './default-type.ts'
import { DUPLICATE_VALUE } from './duplicate-value.ts'
import { INVALID_INPUT_NAME } from './invalid-name.ts'
import { MISSING_DESCRIPTION } from './missing-description.ts'
import { MISSING_TYPE } from './missing-type.ts'
import { REQUIRED_DEFAULT } from './required-default.ts'
import { UNDECLARED } from './undeclared.ts'
import { UNDOCUMENTED } from './undocumented.ts'
import { UNKNOWN_TYPE } from './unknown-type.ts'
import { UNREAD } from './unread.ts'

export const INPUTS_RULES: readonly Rule[] = [
  DEFAULT_NOT_ALLOWED,
  DEFAULT_TYPE,
  DUPLICATE_VALUE,
  INVALID_INPUT_NAME,
  MISSING_DESCRIPTION,
  MISSING_TYPE,
  REQUIRED_DEFAULT,
  UNDECLARED,
  UNDOCUMENTED,
  UNKNOWN_TYPE,
  UNREAD,
]
