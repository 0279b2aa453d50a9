import { SkillsError } from '../../errors.ts'
import { getLanguage } from '../languages/index.ts'
import type { LanguageRequest } from '../languages/locate-program.ts'
import { listProjectFolders } from '../languages/project-folders.ts'
import { resolveLanguage } from '../languages/resolve-language.ts'
import type { ResolvedLanguage, UnresolvedLanguage } from '../languages/resolved-language.ts'
import type { RunCall } from '../runs/run-call.ts'
import type { Services } from '../services.ts'
import { describeGuestModules } from '../sandbox/guest-host/guest-files.ts'
import type { ExecuteParams } from '../methods/runtime-execute/definition.ts'

/** Builds the context for finding programs; project folders are excluded. */
export function buildLanguageContext(
  { config, sandboxes }: Pick<Services, 'config' | 'sandboxes'>,
  { cwd, env }: Pick<RunCall, 'cwd' | 'env'>,
): Omit<LanguageRequest, 'language'> {
  const excluded = listProjectFolders(config)
  const { answers } = sandboxes
  return { cwd, env, excluded, python: config.run.python, answers, modules: describeGuestModules() }
}

/** Finds the program that runs a request. */
export async function findLanguage(
  services: Pick<Services, 'config' | 'sandboxes'>,
  params: ExecuteParams,
  call: RunCall,
): Promise<ResolvedLanguage | UnresolvedLanguage> {
  const language = getLanguage(params.runtime)
  const executable = params.executable ?? params.command
  return await resolveLanguage({ ...buildLanguageContext(services, call), language, executable })
}

/** Throws with the package to install. */
export function checkInstalled(
  { runtime }: ExecuteParams,
  found: ResolvedLanguage | UnresolvedLanguage,
): asserts found is ResolvedLanguage {
  if (found.kind === 'resolved') return
  const isMissing = found.kind === 'missing'
  throw new SkillsError('language/not-installed', found.sentence, {
    hint: isMissing ? found.hint : undefined,
    data: {
      language: runtime,
      install: getLanguage(runtime).install,
      ...(isMissing && { tried: found.tried }),
    },
  })
}
