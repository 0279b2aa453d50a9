import type { LanguageReport } from '../../languages/list-languages.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import type { RuntimeLanguagesParams } from './definition.ts'

/** Paths of programs on this machine are not disclosed to callers. */
type ListedLanguage = Omit<LanguageReport, 'path'>

type RuntimeLanguagesResult = { languages: readonly ListedLanguage[] }

/**
 * `runtime.languages`: lists the languages of `runtime.execute` and what is missing for the others.
 */
export async function runtimeLanguages(
  services: Services,
  { installedOnly = false }: RuntimeLanguagesParams,
  call: Pick<RunCall, 'cwd' | 'env'>,
): Promise<RuntimeLanguagesResult> {
  const { listLanguages } = await import('../../languages/list-languages.ts')
  const { buildLanguageContext } = await import('../../programs/find-language.ts')
  const reports = await listLanguages(buildLanguageContext(services, call))
  const shown = installedOnly ? reports.filter(({ installed }) => installed) : reports
  return { languages: shown.map(omitPath) }
}

function omitPath(report: LanguageReport): ListedLanguage {
  const { name, title, installed, program, version, tried, candidates, install } = report
  return { name, title, installed, program, version, tried, candidates, install }
}
