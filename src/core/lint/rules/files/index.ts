import type { Rule } from '../../rule.ts'
import { CASE_COLLISION } from './case-collision.ts'
import { CODE_WITHOUT_MANIFEST } from './code-without-manifest.ts'
import { DANGLING_SYMLINK } from './dangling-symlink.ts'
import { EMPTY_FOLDER } from './empty-folder.ts'
import { LOCK_FILE } from './lock-file.ts'
import { MISSING_SKILL_MD } from './missing-skill-md.ts'
import { NOT_TEXT } from './not-text.ts'
import { PROJECT_CONFIGURATION } from './project-configuration.ts'
import { SPECIAL_FILE } from './special-file.ts'
import { SYMLINK_OUTSIDE } from './symlink-outside.ts'
import { TOO_DEEP } from './too-deep.ts'
import { TOO_LARGE } from './too-large.ts'
import { TOO_MANY } from './too-many.ts'
import { UNPORTABLE_PATH } from './unportable-path.ts'
import { UNREADABLE_MANIFEST } from './unreadable-manifest.ts'
import { WRONG_CASE } from './wrong-case.ts'

export const FILES_RULES: readonly Rule[] = [
  CASE_COLLISION,
  CODE_WITHOUT_MANIFEST,
  DANGLING_SYMLINK,
  EMPTY_FOLDER,
  LOCK_FILE,
  MISSING_SKILL_MD,
  NOT_TEXT,
  PROJECT_CONFIGURATION,
  SPECIAL_FILE,
  SYMLINK_OUTSIDE,
  TOO_DEEP,
  TOO_LARGE,
  TOO_MANY,
  UNPORTABLE_PATH,
  UNREADABLE_MANIFEST,
  WRONG_CASE,
]
