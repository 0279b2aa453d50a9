import { resolve } from 'node:path'
import { createCodeJob } from '../../core/methods/run-code/handler.ts'
import { splitReference } from '../../core/skills/reference.ts'
import { readEntryAt } from '../../core/skills/repository/open-repository.ts'
import type { SkillEntry } from '../../core/skills/repository/repository.ts'
import type { CodeAction } from '../../core/testing/suites/suite.ts'
import type { CaseContext, CasePerformer } from './case-performer.ts'
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

/** A path is relative to the tested skill; other references are names. */
async function findMount({ services, entry }: CaseContext, reference: string): Promise<SkillEntry> {
  if (reference === '.') return entry
  if (reference.startsWith('.')) return await readEntryAt(resolve(entry.dir, reference))
  return await services.repository.resolve(...splitReference(reference))
}
