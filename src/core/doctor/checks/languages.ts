import { memoize } from '../../../util/memoize.ts'
import type { LanguageName } from '../../languages/language.ts'
import type { LanguageReport } from '../../languages/list-languages.ts'
import type { DoctorCheck, Machine } from '../check.ts'
import type { TriedLanguage } from '../doctor-report.ts'
import { selectBackend } from '../selected-backend.ts'
import { tryLanguage } from '../try-language.ts'

/** Languages of `runtime.execute`; runs of skills need only Python. */
export const languagesCheck: DoctorCheck = {
  id: 'languages',
  title: 'Languages',
  needed: false,
  async run(machine) {
    const reports = await reportLanguages(machine)
    const installed = reports.filter((each) => each.installed)
    const failed = installed.filter(({ runs }) => runs === false)
    const working = installed.filter(({ runs }) => runs !== false)
    const missing = reports.filter((each) => !each.installed)
    const names = missing.map(({ name }) => name).join(', ')
    return {
      ok: working.length > 0 && failed.length === 0,
      detail: [
        working.map(formatLanguageVersion).join(', ') || 'none',
        ...failed.map((each) => `${formatLanguageVersion(each)} does not run: ${each.problem}`),
        ...(names === '' ? [] : [`not installed: ${names}`]),
      ].join('; '),
      fix:
        failed.length > 0
          ? 'Repair or reinstall it; "skills doctor --json" shows the path of each program'
          : 'Install one of them, such as Python 3.9 or newer',
    }
  },
}

/** Every language, as available on this machine. Tried once for all checks of a machine. */
export async function reportLanguages(machine: Machine): Promise<TriedLanguage[]> {
  return await getReports(machine)
}

const getReports = memoize(async (machine: Machine): Promise<TriedLanguage[]> => {
  const { listLanguages } = await import('../../languages/list-languages.ts')
  const { buildLanguageContext } = await import('../../programs/find-language.ts')
  const reports = await listLanguages(buildLanguageContext(machine, machine))
  const isTried = process.platform === 'linux' && selectBackend(machine).name !== 'process'
  const tried: TriedLanguage[] = reports.map((each) => ({ ...each, runs: null, problem: null }))
  const remaining = tried.filter(({ installed }) => installed && isTried).values()
  const worker = async () => {
    for (const each of remaining) {
      const trial = await tryLanguage(machine, each.name as LanguageName)
      if (!trial) continue
      const { problem = null } = trial
      Object.assign(each, { runs: problem === null, problem })
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return tried
})

/** Compilers that run at once. */
const CONCURRENCY = 3

function formatLanguageVersion({ name, version, program, tried }: LanguageReport): string {
  const short = version?.replace(/[-+].*/, '')
  const label = short ? `${name} ${short}` : name
  return tried === false ? `${label} (by ${program}, which our tests do not cover)` : label
}
