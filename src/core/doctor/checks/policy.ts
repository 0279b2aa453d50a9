import { SkillsError, toSkillsError } from '../../../errors.ts'
import { loadPolicy } from '../../policy/load-policy.ts'
import { openRepositoryRegistry } from '../../policy/repository-registry.ts'
import type { DoctorCheck } from '../check.ts'

/** No program runs if the policy is unreadable or writable by others. */
export const policyCheck: DoctorCheck = {
  id: 'policy',
  title: 'Policy',
  needed: true,
  async run({ config }) {
    try {
      const { files, scopes, approval } = await loadPolicy(config)
      if (files.length === 0) return { ok: true, detail: 'no file: the policy denies nothing' }
      const rules = scopes.filter(({ when }) => when !== undefined).length
      const needsApproval = scopes.some(({ approve }) => approve)
      if (needsApproval && !approval) {
        const detail = 'A rule requires approval, but [approval] has no approver'
        return { ok: false, detail, fix: 'Type "skills policy explain" to see the rule' }
      }
      const paths = files.map(({ path }) => path).join(', ')
      return { ok: true, detail: `${paths} (${rules} ${rules === 1 ? 'rule' : 'rules'})` }
    } catch (error) {
      const { message, hint } = toSkillsError(error)
      return { ok: false, detail: message, fix: hint }
    }
  },
}

/** A missing repository affects only requests that name it. */
export const repositoriesCheck: DoctorCheck = {
  id: 'repositories',
  title: 'Repositories',
  needed: false,
  async run({ config }) {
    const repositories = openRepositoryRegistry(config)
    const names = repositories.names()
    const problems = names.flatMap((name) => {
      try {
        repositories.find(name)
        return []
      } catch (error) {
        if (error instanceof SkillsError) return [error]
        throw error
      }
    })
    const [first] = problems
    if (first) return { ok: false, detail: first.message, fix: first.hint }
    return { ok: true, detail: names.join(', ') || 'none registered' }
  },
}
