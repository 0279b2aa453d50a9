import type { ResolvedLanguage } from '../languages/resolved-language.ts'
import type { Services } from '../services.ts'
import type { ExecuteParams } from './execute-params.ts'
import type { Execution, ExecutionPlace } from './execution.ts'
import { languageLimits } from './language-limits.ts'
import { toolEnvironment, toolMounts } from './tool-mounts.ts'

/** Puts together all that both phases of a request need. */
export function prepare(
  { config }: Services,
  asked: { params: ExecuteParams; place: ExecutionPlace; resolved: ResolvedLanguage },
): Execution {
  const { params, resolved } = asked
  const { language, candidate, version } = resolved
  const { code } = params
  return {
    ...asked,
    inline: code === undefined ? undefined : candidate.inline({ text: code, version }),
    tools: toolMounts(resolved),
    environment: toolEnvironment(resolved),
    limits: languageLimits(config.run.limits, language.limits),
  }
}
