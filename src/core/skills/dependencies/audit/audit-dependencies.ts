import type { RunCall } from '../../../runs/run-call.ts'
import type { MountedSkill } from '../../mounted-skill.ts'
import { readDeclaredLocks } from '../declared-lock.ts'
import type { AdvisoryReport } from './advisory.ts'
import { auditNpm } from './audit-npm.ts'
import { auditPython } from './audit-python.ts'

/** Asks the registries about the locked packages. Only names and versions are sent. */
export async function auditDependencies(
  skill: MountedSkill,
  { env, signal }: Pick<RunCall, 'env' | 'signal'>,
): Promise<AdvisoryReport> {
  const total: AdvisoryReport = { asked: 0, advisories: [], unasked: [] }
  for (const lock of await readDeclaredLocks(skill)) {
    const found =
      lock.language === 'node'
        ? await auditNpm(lock, { env, signal })
        : await auditPython(lock, { env, signal })
    total.asked += found.asked
    total.advisories.push(...found.advisories)
    total.unasked.push(...found.unasked)
  }
  return total
}
