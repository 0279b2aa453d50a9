import type { Rule } from '../../rule.ts'
import { BIDI_CHARACTER } from './bidi-character.ts'
import { BOM } from './bom.ts'
import { CONFLICT_MARKER } from './conflict-marker.ts'
import { CONTROL_CHARACTER } from './control-character.ts'
import { CREDENTIAL_FILE } from './credential-file.ts'
import { CRLF } from './crlf.ts'
import { EXECUTABLE_BIT } from './executable-bit.ts'
import { FINAL_NEWLINE } from './final-newline.ts'
import { HIDDEN_CHARACTER } from './hidden-character.ts'
import { JUNK_FILE } from './junk-file.ts'
import { MISSING_EXECUTABLE_BIT } from './missing-executable-bit.ts'
import { PLACEHOLDER_TEXT } from './placeholder.ts'
import { TRAILING_WHITESPACE } from './trailing-whitespace.ts'
import { UNUSED_SUPPRESSION } from './unused-suppression.ts'
import { VENDORED_FOLDER } from './vendored-folder.ts'
import { WORLD_WRITABLE } from './world-writable.ts'

export const HYGIENE_RULES: readonly Rule[] = [
  BIDI_CHARACTER,
  BOM,
  CONFLICT_MARKER,
  CONTROL_CHARACTER,
  CREDENTIAL_FILE,
  CRLF,
  EXECUTABLE_BIT,
  FINAL_NEWLINE,
  HIDDEN_CHARACTER,
  JUNK_FILE,
  MISSING_EXECUTABLE_BIT,
  PLACEHOLDER_TEXT,
  TRAILING_WHITESPACE,
  UNUSED_SUPPRESSION,
  VENDORED_FOLDER,
  WORLD_WRITABLE,
]
