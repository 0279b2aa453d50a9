import type { Rule } from '../../rule.ts'
import { BROKEN_ANCHOR } from './broken-anchor.ts'
import { BROKEN_LINK } from './broken-link.ts'
import { CUT_VALUE } from './cut-value.ts'
import { DESCRIPTION_DRIFT } from './description-drift.ts'
import { EMPTY_BODY } from './empty-body.ts'
import { ESCAPING_LINK } from './escaping-link.ts'
import { EXAMPLE_ARGUMENTS } from './example-arguments.ts'
import { EXAMPLE_MISSING_INPUT } from './example-missing-input.ts'
import { EXAMPLE_TYPE } from './example-type.ts'
import { FRONT_MATTER_SYNTAX } from './front-matter-syntax.ts'
import { INSECURE_LINK } from './insecure-link.ts'
import { JSON_SYNTAX } from './json-syntax.ts'
import { LONG_BODY } from './long-body.ts'
import { MISSING_EXAMPLE } from './missing-example.ts'
import { MISSING_FRONT_MATTER } from './missing-front-matter.ts'
import { MISSING_HEADING } from './missing-heading.ts'
import { MISSING_REFERENCE } from './missing-reference.ts'
import { MISSING_SHORT_DESCRIPTION } from './missing-short-description.ts'
import { SHORT_DESCRIPTION_LENGTH } from './short-description-length.ts'
import { SKIPPED_HEADING } from './skipped-heading.ts'
import { TAGS_DRIFT } from './tags-drift.ts'
import { UNCLOSED_FENCE } from './unclosed-fence.ts'
import { VAGUE_DESCRIPTION } from './vague-description.ts'
import { VERSION_DRIFT } from './version-drift.ts'

export const DOCS_RULES: readonly Rule[] = [
  BROKEN_ANCHOR,
  BROKEN_LINK,
  CUT_VALUE,
  DESCRIPTION_DRIFT,
  EMPTY_BODY,
  ESCAPING_LINK,
  EXAMPLE_ARGUMENTS,
  EXAMPLE_MISSING_INPUT,
  EXAMPLE_TYPE,
  FRONT_MATTER_SYNTAX,
  INSECURE_LINK,
  JSON_SYNTAX,
  LONG_BODY,
  MISSING_EXAMPLE,
  MISSING_FRONT_MATTER,
  MISSING_HEADING,
  MISSING_REFERENCE,
  MISSING_SHORT_DESCRIPTION,
  SHORT_DESCRIPTION_LENGTH,
  SKIPPED_HEADING,
  TAGS_DRIFT,
  UNCLOSED_FENCE,
  VAGUE_DESCRIPTION,
  VERSION_DRIFT,
]
