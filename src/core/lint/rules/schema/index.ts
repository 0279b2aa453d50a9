import type { Rule } from '../../rule.ts'
import { ACTION_WITHOUT_RUNTIME } from './action-without-runtime.ts'
import { AGENT_SKILL_DESCRIPTION } from './agent-skill-description.ts'
import { AGENT_SKILL_NAME } from './agent-skill-name.ts'
import { DUPLICATE_TAG } from './duplicate-tag.ts'
import { EMPTY_VALUE } from './empty-value.ts'
import { INSTRUCTION_WITH_RUNTIME } from './instruction-with-runtime.ts'
import { INVALID_EXAMPLE } from './invalid-example.ts'
import { INVALID_KIND } from './invalid-kind.ts'
import { INVALID_VERSION } from './invalid-version.ts'
import { LONG_DESCRIPTION } from './long-description.ts'
import { MISSING_ENTRYPOINT } from './missing-entrypoint.ts'
import { MISSING_KEY } from './missing-key.ts'
import { MISSING_KIND } from './missing-kind.ts'
import { MULTILINE_DESCRIPTION } from './multiline-description.ts'
import { NOT_FINITE } from './not-finite.ts'
import { TAG_FORMAT } from './tag-format.ts'
import { TOML_SYNTAX } from './toml-syntax.ts'
import { UNKNOWN_KEY } from './unknown-key.ts'
import { UNSUPPORTED_LANGUAGE } from './unsupported-language.ts'
import { WRONG_TYPE } from './wrong-type.ts'

export const SCHEMA_RULES: readonly Rule[] = [
  ACTION_WITHOUT_RUNTIME,
  AGENT_SKILL_DESCRIPTION,
  AGENT_SKILL_NAME,
  DUPLICATE_TAG,
  EMPTY_VALUE,
  INSTRUCTION_WITH_RUNTIME,
  INVALID_EXAMPLE,
  INVALID_KIND,
  INVALID_VERSION,
  LONG_DESCRIPTION,
  MISSING_ENTRYPOINT,
  MISSING_KEY,
  MISSING_KIND,
  MULTILINE_DESCRIPTION,
  NOT_FINITE,
  TAG_FORMAT,
  TOML_SYNTAX,
  UNKNOWN_KEY,
  UNSUPPORTED_LANGUAGE,
  WRONG_TYPE,
]
