import type { DoctorCheck } from '../check.ts'

/** Configuration files and variables; any other command stops at the first problem. */
export const configurationCheck: DoctorCheck = {
  id: 'configuration',
  title: 'Configuration',
  needed: true,
  async run({ configuration: { files, problems } }) {
    const [first] = problems
    if (!first) return { ok: true, detail: files.join(', ') || 'no file, all defaults' }
    const more = problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`
    const fix = problems.length === 1 ? first.hint : 'Show all of them with: skills config'
    return { ok: false, detail: `${first.message}${more}`, fix }
  },
}
