import type { DoctorCheck } from '../check.ts'

import { backendCheck } from './backend.ts'
import { bubblewrapCheck } from './bubblewrap.ts'
import { configurationCheck } from './configuration.ts'
import { containerEngineCheck } from './container-engine.ts'
import { cacheCheck, dataCheck } from './directories.ts'
import { FEATURE_CHECKS } from './features.ts'
import { gitCheck } from './git.ts'
import { gvisorCheck } from './gvisor.ts'
import { languagesCheck } from './languages.ts'
import { NAMESPACE_CHECKS } from './namespaces.ts'
import { nodeCheck } from './node.ts'
import { packageCheck } from './package.ts'
import { policyCheck, repositoriesCheck } from './policy.ts'
import { pythonCheck } from './python.ts'
import { requirementsCheck } from './requirements.ts'
import { sandboxCheck } from './sandbox.ts'
import { skillsCheck } from './skills.ts'
import { strangersCheck } from './strangers.ts'
import { warmCheck } from './warm.ts'

/** Checks of the machine itself, in display order. */
const COMMON_CHECKS: readonly DoctorCheck[] = [
  gitCheck,
  packageCheck,
  configurationCheck,
  policyCheck,
  repositoriesCheck,
  dataCheck,
  cacheCheck,
  skillsCheck,
  requirementsCheck,
  backendCheck,
]

const LINUX_CHECKS: readonly DoctorCheck[] = [
  nodeCheck,
  pythonCheck,
  ...COMMON_CHECKS,
  bubblewrapCheck,
  ...NAMESPACE_CHECKS,
  sandboxCheck,
  ...FEATURE_CHECKS,
  warmCheck,
  gvisorCheck,
  strangersCheck,
  languagesCheck,
]

/** A container brings the Python of runs; only `skills lint` uses that of the host. */
const OTHER_CHECKS: readonly DoctorCheck[] = [
  nodeCheck,
  { ...pythonCheck, needed: false },
  ...COMMON_CHECKS,
  containerEngineCheck,
  strangersCheck,
]

/** Selects the checks of a system, by Node's name of it. */
export function selectChecks(platform: NodeJS.Platform): readonly DoctorCheck[] {
  return platform === 'linux' ? LINUX_CHECKS : OTHER_CHECKS
}
