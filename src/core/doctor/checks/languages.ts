import type { LanguageReport } from '../../languages/list-languages.ts'
import type { DoctorCheck, Machine } from '../check.ts'

/** Languages of `runtime.execute`; runs of skills need only Python. */
export const languagesCheck: DoctorCheck = {
  id: 'languages',
  title: 'Languages',
  needed: false,
  async run(machine) {
    const reports = await reportLanguages(machine)
    const installed = reports.filter((each) => each.installed)
    const missing = reports.filter((each) => !each.installed)
    const names = missing.map(({ name }) => name).join(', ')
    return {
      ok: installed.length > 0,
      detail: [
        installed.map(formatLanguageVersion).join(', ') || 'none',
        ...(names === '' ? [] : [`not installed: ${names}`]),
      ].join('; '),
      fix: 'Install one of them, such as Python 3.9 or newer',
    }
  },
}

/** Every language, as available on this machine. */
export async function reportLanguages(machine: Machine): Promise<LanguageReport[]> {
  const { cwd, env, config, sandboxes } = machine
  const { listLanguages } = await import('../../languages/list-languages.ts')
  const { listProjectFolders } = await import('../../languages/project-folders.ts')
  const excluded = listProjectFolders(config)
  const { answers } = sandboxes
  return await listLanguages({ cwd, env, excluded, python: config.run.python, answers })
}

function formatLanguageVersion({ name, version, program, tried }: LanguageReport): string {
  const short = version?.replace(/[-+].*/, '')
  const label = short ? `${name} ${short}` : name
  return tried === false ? `${label} (by ${program}, which our tests do not cover)` : label
}
