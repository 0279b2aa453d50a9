import { lintSkills } from '../../core/lint/lint.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'

/** Lint errors of a staged skill, among them hidden text. */
export async function findScanProblems(context: Context, folder: string): Promise<string[]> {
  const { config, projectDir } = await openConfig(context)
  const { findings, failures } = await lintSkills({
    skills: [folder],
    cwd: folder,
    config,
    configDir: projectDir,
    env: context.env,
  })
  const errors = findings.filter(({ severity }) => severity === 'error')
  return [
    ...errors.map(({ rule, file, message }) => `${rule} in ${file}: ${message}`),
    ...failures.map(({ message }) => message),
  ]
}
