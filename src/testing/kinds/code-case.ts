import { createCodeJob } from '../../core/methods/run-code/handler.ts'
import type { CodeAction } from '../../core/testing/suites/suite.ts'
import type { CasePerformer } from './case-performer.ts'
import { findMount } from './offer-skills.ts'
import { recordFunction } from './record-function.ts'

/** Calls a function of code with mounted skills, as `run_code` does. */
export const performCodeCase: CasePerformer<CodeAction> = async (action, context) => {
  const { services, testCase } = context
  return await recordFunction(async (blobs) => {
    const { language, code, args, entrypoint = 'main' } = action
    const entries = await Promise.all(
      action.mounts.map(async (reference) => await findMount(context, reference)),
    )
    return await createCodeJob(services, {
      language,
      code,
      args: { ...args, ...blobs },
      input_blobs: Object.values(blobs),
      entrypoint,
      entries,
      limits: { timeout_ms: testCase.timeoutMs },
    })
  }, context)
}
