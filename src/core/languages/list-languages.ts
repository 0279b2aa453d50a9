import { LANGUAGES } from './index.ts'
import type { Language } from './language.ts'
import type { LanguageRequest } from './locate-program.ts'
import { resolveLanguage, queryCandidateVersion } from './resolve-language.ts'

/** A language as it is installed on this machine. */
export interface LanguageReport {
  name: string
  title: string
  installed: boolean
  /** The program that runs it; null if none is installed. */
  program: string | null
  /** The path of the program on this machine. */
  path: string | null
  version: string | null
  /** False if no test runs this program; null if none is installed. */
  tried: boolean | null
  /** All candidate programs, best first. */
  candidates: readonly string[]
  /** Installation instructions; null if a program is installed. */
  install: string | null
}

type LanguageContext = Omit<LanguageRequest, 'language' | 'executable'>

/** Resolves all languages, a few at a time because each may start a program. */
export async function listLanguages(context: LanguageContext): Promise<LanguageReport[]> {
  const reports: LanguageReport[] = []
  const remaining = LANGUAGES.entries()
  const worker = async () => {
    for (const [at, language] of remaining) reports[at] = await describeLanguage(context, language)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return reports
}

const CONCURRENCY = 4

async function describeLanguage(
  context: LanguageContext,
  language: Language,
): Promise<LanguageReport> {
  const { name, title, candidates, install } = language
  const resolved = await resolveLanguage({ ...context, language })
  const basics = { name, title, candidates: candidates.map(({ program }) => program) }
  if (resolved.kind !== 'resolved') {
    return {
      ...basics,
      installed: false,
      program: null,
      path: null,
      version: null,
      tried: null,
      install,
    }
  }
  const { candidate, programs, started } = resolved
  const request = { ...context, language }
  const answer = candidate.isPython
    ? { version: resolved.version }
    : await queryCandidateVersion(request, candidate, started)
  return {
    ...basics,
    installed: true,
    program: candidate.program,
    path: programs.get(candidate.program)?.real ?? null,
    version: ('version' in answer && answer.version) || resolved.version || null,
    tried: candidate.isUntested !== true,
    install: null,
  }
}
