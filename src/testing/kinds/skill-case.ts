import { createSkillJob } from '../../core/methods/execute-skill/handler.ts'
import type { SkillAction } from '../../core/testing/suites/suite.ts'
import type { CasePerformer } from './case-performer.ts'
import { recordFunction } from './record-function.ts'

/** Calls the skill's function, as `execute_skill` does. */
export const performSkillCase: CasePerformer<SkillAction> = async ({ args }, context) => {
  const { services, entry, testCase } = context
  return await recordFunction(async (blobs) => {
    const input = { args: { ...args, ...blobs }, input_blobs: Object.values(blobs) }
    return await createSkillJob(services, { entry, ...input, timeout_ms: testCase.timeoutMs })
  }, context)
}
