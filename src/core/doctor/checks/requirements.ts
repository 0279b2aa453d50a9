import { describeAvailable } from '../../runs/checks/check-requirements.ts'
import { describeMissing, findMissingRequirements } from '../../skills/requirements/find-missing.ts'
import type { DoctorCheck } from '../check.ts'

/** Requirements of the skills found from here. Values of secrets are read by runs only. */
export const requirementsCheck: DoctorCheck = {
  id: 'requirements',
  title: 'Requirements',
  needed: false,
  async run({ repository, config, env }) {
    const skills = (await repository.list()).filter(({ requires }) => requires)
    const declared = skills.flatMap(({ requires }) => requires?.environment ?? [])
    const secrets = new Set(declared.filter(({ isSecret }) => isSecret).map(({ name }) => name))
    const available = describeAvailable(config.run, { env, secrets })
    const unmet = skills.flatMap(({ name, requires }) =>
      findMissingRequirements(requires, available).map((missing) => ({ name, missing })),
    )
    const [first] = unmet
    if (!first) return { ok: true, detail: `met by this machine, for ${skills.length} skills` }
    return {
      ok: false,
      detail: `${unmet.length} missing, such as for ${first.name}: ${describeMissing(first.missing)}`,
      fix: first.missing.fix,
    }
  },
}
