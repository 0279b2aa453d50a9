import { lintSkills } from '../../core/lint/lint.ts'
import { SkillsError } from '../../errors.ts'
import { formatCount } from '../ui/text.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'

/** Refuses skills with lint errors. The option, if there is one, skips this check. */
export async function checkLint(
  context: Context,
  folders: readonly string[],
  { verb, option }: { verb: string; option?: string } = { verb: 'pack', option: '--skip-lint' },
): Promise<void> {
  const { config, projectDir } = await openConfig(context)
  const { findings, failures } = await lintSkills({
    skills: folders,
    cwd: context.cwd,
    config,
    configDir: projectDir,
    env: context.env,
  })
  const errors = findings.filter(({ severity }) => severity === 'error')
  const [first] = errors
  const [failure] = failures
  if (!first && !failure) return
  const problem = first
    ? `${formatCount(errors.length, 'lint error')}, the first is ${first.rule} in ${first.file}`
    : `it could not be checked: ${failure?.message}`
  throw new SkillsError('skill/invalid', `Cannot ${verb} the skill: ${problem}`, {
    hint: `Type "skills lint ${folders.join(' ')}"${option === undefined ? '' : `, or ${verb} it in this state with ${option}`}`,
    data: { errors: errors.length },
  })
}
