import type { Rule } from '../../rule.ts'
import { DUPLICATE_EXPORT } from './duplicate-export.ts'
import { GUARDED_EXPORT } from './guarded-export.ts'
import { INTERACTIVE_INPUT } from './interactive-input.ts'
import { MISSING_EXPORT } from './missing-export.ts'
import { MISSING_FILE } from './missing-file.ts'
import { MISSING_IMPORT } from './missing-import.ts'
import { NOT_A_FUNCTION } from './not-a-function.ts'
import { NOT_EXPORTED } from './not-exported.ts'
import { NOT_PYTHON } from './not-python.ts'
import { OUTSIDE } from './outside.ts'
import { RELATIVE_IMPORT } from './relative-import.ts'
import { SHADOWS_LIBRARY } from './shadows-library.ts'
import { SYNTAX_ERROR } from './syntax-error.ts'
import { UNKNOWN_IMPORT } from './unknown-import.ts'
import { UNKNOWN_RUNTIME_NAME } from './unknown-runtime-name.ts'
import { UNSUPPORTED_TYPESCRIPT } from './unsupported-typescript.ts'
import { WORK_AT_IMPORT } from './work-at-import.ts'
import { WRONG_ARGUMENTS } from './wrong-arguments.ts'
import { WRONG_ENDING } from './wrong-ending.ts'

export const ENTRYPOINT_RULES: readonly Rule[] = [
  DUPLICATE_EXPORT,
  GUARDED_EXPORT,
  INTERACTIVE_INPUT,
  MISSING_EXPORT,
  MISSING_FILE,
  MISSING_IMPORT,
  NOT_A_FUNCTION,
  NOT_EXPORTED,
  NOT_PYTHON,
  OUTSIDE,
  RELATIVE_IMPORT,
  SHADOWS_LIBRARY,
  SYNTAX_ERROR,
  UNKNOWN_IMPORT,
  UNKNOWN_RUNTIME_NAME,
  UNSUPPORTED_TYPESCRIPT,
  WORK_AT_IMPORT,
  WRONG_ARGUMENTS,
  WRONG_ENDING,
]
