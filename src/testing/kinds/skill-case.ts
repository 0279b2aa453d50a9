import { createSkillJob } from '../../core/methods/execute-skill/handler.ts'
import type { FunctionJob } from '../../core/runs/job.ts'
import {
  acceptsUndeclared,
  findUndeclaredInput,
} from '../../core/skills/manifest/find-undeclared-input.ts'
import type { SkillAction } from '../../core/testing/suites/suite.ts'
import { SkillsError } from '../../errors.ts'
import type { CasePerformer } from './case-performer.ts'
import { recordFunction } from './record-function.ts'

/** Calls the skill's function, as `skills exec` does: undeclared arguments are refused. */
export const performSkillCase: CasePerformer<SkillAction> = async ({ args }, context) => {
  const { services, entry, testCase } = context
  return await recordFunction(async (blobs) => {
    const input = { args: { ...args, ...blobs }, input_blobs: Object.values(blobs) }
    const job = await createSkillJob(services, { entry, ...input, timeout_ms: testCase.timeoutMs })
    rejectUndeclared(job)
    return job
  }, context)
}

function rejectUndeclared({ skills, args = {} }: FunctionJob): void {
  const [skill] = skills
  if (!skill || acceptsUndeclared(skill.manifest)) return
  const undeclared = findUndeclaredInput(skill.manifest.inputs, Object.keys(args))
  if (undeclared) throw new SkillsError('params/invalid', undeclared.message, undeclared)
}
