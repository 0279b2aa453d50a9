import type { DoctorCheck } from '../check.ts'

/** Skills found from here, and their problems. */
export const skillsCheck: DoctorCheck = {
  id: 'skills',
  title: 'Skills',
  needed: false,
  async run({ repository }) {
    const skills = await repository.list()
    const problems = await repository.problems()
    const roots = [...new Set(skills.map((skill) => skill.root))]
    const found = `${skills.length} in ${roots.join(', ') || 'no root'}`
    if (problems.length === 0) return { ok: true, detail: found }
    const first = problems[0]
    return {
      ok: false,
      detail: `${found}; ${problems.length} with a problem, such as ${first?.path}: ${first?.message}`,
      fix: 'Show all of them with "skills list", or check one with "skills lint <folder>"',
    }
  },
}
