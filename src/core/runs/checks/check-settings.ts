import { SkillsError } from '../../../errors.ts'
import type { LoadedConfig } from '../../config/load-config.ts'

type ContentCheck = (texts: readonly string[]) => Promise<unknown>

/** Parsers of contents, which throw. Each is loaded only if its setting has a value. */
const VALUE_CHECKS: Readonly<Record<string, ContentCheck>> = {
  'run.network.allow_private': async (texts) => {
    const { requirePrivateExceptions } = await import('../network/private-setting.ts')
    return requirePrivateExceptions(texts)
  },
  'redaction.patterns': async (patterns) => {
    const { compilePatterns } = await import('../redaction/compile-patterns.ts')
    return compilePatterns({ defaults: false, patterns })
  },
}

/** Lists settings of the right type that no run could use, with their origin. */
export async function listSettingProblems({
  config,
  origins,
}: Pick<LoadedConfig, 'config' | 'origins'>): Promise<SkillsError[]> {
  const values = {
    'run.network.allow_private': config.run.network.allowPrivate,
    'redaction.patterns': config.redaction.patterns,
  }
  const problems: SkillsError[] = []
  for (const [setting, value] of Object.entries(values)) {
    const problem = await findValueProblem(setting, value)
    if (!problem) continue
    const { code, message, hint } = problem
    const place = origins[setting]?.place ?? setting
    problems.push(new SkillsError(code, `${place}: ${message}`, { hint }))
  }
  return problems
}

/** Returns the problem of a value that has the right type; undefined if a run can use it. */
export async function findValueProblem(
  setting: string,
  value: unknown,
): Promise<SkillsError | undefined> {
  const check = VALUE_CHECKS[setting]
  if (!check || !Array.isArray(value) || value.length === 0) return undefined
  try {
    await check(value as readonly string[])
    return undefined
  } catch (error) {
    if (error instanceof SkillsError) return error
    throw error
  }
}
