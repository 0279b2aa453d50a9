import type { DoctorCheck } from '../check.ts'

import { backendCheck } from './backend.ts'
import { bubblewrapCheck } from './bubblewrap.ts'
import { configurationCheck } from './configuration.ts'
import { cacheCheck, dataCheck } from './directories.ts'
import { FEATURE_CHECKS } from './features.ts'
import { gitCheck } from './git.ts'
import { languagesCheck } from './languages.ts'
import { NAMESPACE_CHECKS } from './namespaces.ts'
import { nodeCheck } from './node.ts'
import { packageCheck } from './package.ts'
import { policyCheck, repositoriesCheck } from './policy.ts'
import { pythonCheck } from './python.ts'
import { sandboxCheck } from './sandbox.ts'
import { skillsCheck } from './skills.ts'
import { warmCheck } from './warm.ts'

/** Every check, in display order. */
export const CHECKS: readonly DoctorCheck[] = [
  nodeCheck,
  pythonCheck,
  gitCheck,
  packageCheck,
  configurationCheck,
  policyCheck,
  repositoriesCheck,
  dataCheck,
  cacheCheck,
  skillsCheck,
  backendCheck,
  bubblewrapCheck,
  ...NAMESPACE_CHECKS,
  sandboxCheck,
  ...FEATURE_CHECKS,
  warmCheck,
  languagesCheck,
]
