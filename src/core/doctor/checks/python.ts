import { SkillsError } from '../../../errors.ts'
import { queryHostPython } from '../../languages/python.ts'
import { buildLanguageContext } from '../../programs/find-language.ts'
import type { DoctorCheck } from '../check.ts'

/** Interpreter of Python skills. It reports its own path, so that a shim is not shown. */
export const pythonCheck: DoctorCheck = {
  id: 'python',
  title: 'Python',
  needed: true,
  async run(machine) {
    try {
      const { version, executable } = await queryHostPython(buildLanguageContext(machine, machine))
      return { ok: true, detail: `${version} at ${executable}` }
    } catch (error) {
      if (!(error instanceof SkillsError)) throw error
      return {
        ok: false,
        detail: error.message,
        fix: 'Install Python 3.9 or newer, or set run.python in skills.config.toml',
      }
    }
  },
}
