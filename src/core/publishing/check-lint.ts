import { SkillsError } from '../../errors.ts'
import { formatPlural } from '../../util/quantity.ts'
import type { Config } from '../config/config.ts'
import { lintSkills } from '../lint/lint.ts'

/** The configuration by which skills are checked. */
export interface LintScope {
  config: Config
  /** Base folder of the configuration's globs. */
  projectDir: string
  cwd: string
  env: Readonly<Record<string, string | undefined>>
}

/** Refuses skills with lint errors. The option, if there is one, skips this check. */
export async function checkLint(
  { config, projectDir, cwd, env }: LintScope,
  folders: readonly string[],
  { verb, option }: { verb: string; option?: string },
): Promise<void> {
  const { findings, failures } = await lintSkills({
    skills: folders,
    cwd,
    config,
    configDir: projectDir,
    env,
  })
  const errors = findings.filter(({ severity }) => severity === 'error')
  const [first] = errors
  const [failure] = failures
  if (!first && !failure) return
  const problem = first
    ? `${formatPlural(errors.length, 'lint error')}, the first is ${first.rule} in ${first.file}`
    : `it could not be checked: ${failure?.message}`
  throw new SkillsError('skill/invalid', `Cannot ${verb} the skill: ${problem}`, {
    hint: `Type "skills lint ${folders.join(' ')}"${option === undefined ? '' : `, or ${verb} it in this state with ${option}`}`,
    data: { errors: errors.length },
  })
}
