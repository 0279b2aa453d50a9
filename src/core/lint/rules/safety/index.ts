import type { Rule } from '../../rule.ts'
import { ACTS_FOR_USER } from './acts-for-user.ts'
import { AGENT_CONFIGURATION } from './agent-configuration.ts'
import { AGENT_DATA } from './agent-data.ts'
import { CONCEALMENT } from './concealment.ts'
import { CREDENTIAL_ACCESS } from './credential-access.ts'
import { DATA_UPLOAD } from './data-upload.ts'
import { DESTRUCTION } from './destruction.ts'
import { DISABLED_PROTECTION } from './disabled-protection.ts'
import { HIDDEN_TEXT } from './hidden-text.ts'
import { INSTRUCTION_OVERRIDE } from './instruction-override.ts'
import { LOOKALIKE_PACKAGE } from './lookalike-package.ts'
import { OBFUSCATED_CODE } from './obfuscated-code.ts'
import { PERSISTENCE } from './persistence.ts'
import { REMOTE_CODE } from './remote-code.ts'
import { REMOTE_INSTRUCTIONS } from './remote-instructions.ts'
import { SABOTAGE } from './sabotage.ts'
import { SKIPPED_APPROVAL } from './skipped-approval.ts'
import { TRIGGER } from './trigger.ts'
import { UNDECLARED_BEHAVIOUR } from './undeclared-behaviour.ts'
import { UNPINNED_PACKAGE } from './unpinned-package.ts'

export const SAFETY_RULES: readonly Rule[] = [
  ACTS_FOR_USER,
  AGENT_CONFIGURATION,
  AGENT_DATA,
  CONCEALMENT,
  CREDENTIAL_ACCESS,
  DATA_UPLOAD,
  DESTRUCTION,
  DISABLED_PROTECTION,
  HIDDEN_TEXT,
  INSTRUCTION_OVERRIDE,
  LOOKALIKE_PACKAGE,
  OBFUSCATED_CODE,
  PERSISTENCE,
  REMOTE_CODE,
  REMOTE_INSTRUCTIONS,
  SABOTAGE,
  SKIPPED_APPROVAL,
  TRIGGER,
  UNDECLARED_BEHAVIOUR,
  UNPINNED_PACKAGE,
]
