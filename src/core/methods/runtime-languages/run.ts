import type { LanguageReport } from '../../languages/list-languages.ts'
import type { RunCall } from '../../run/run-call.ts'
import type { Runtime } from '../../runtime.ts'

export interface RuntimeLanguagesParams {
  /** Leaves out what is not installed. */
  installedOnly?: boolean | undefined
}

/** Where programs lie on this machine is nobody's business. */
export type ListedLanguage = Omit<LanguageReport, 'path'>

export interface RuntimeLanguagesResult {
  languages: readonly ListedLanguage[]
}

/** `runtime.languages`: what `runtime.execute` can run here, and what it would need. */
export async function runtimeLanguages(
  runtime: Runtime,
  { installedOnly = false }: RuntimeLanguagesParams,
  call: Pick<RunCall, 'cwd' | 'env'>,
): Promise<RuntimeLanguagesResult> {
  const { listLanguages } = await import('../../languages/list-languages.ts')
  const { languageSurroundings } = await import('../../execute/find-language.ts')
  const reports = await listLanguages(languageSurroundings(runtime, call))
  const shown = installedOnly ? reports.filter(({ installed }) => installed) : reports
  return { languages: shown.map(withoutPath) }
}

function withoutPath(report: LanguageReport): ListedLanguage {
  const { name, title, installed, program, version, tried, candidates, install } = report
  return { name, title, installed, program, version, tried, candidates, install }
}
