import { describeReach } from '../../core/adopting/describe-reach.ts'
import type { LoadedConfig } from '../../core/config/load-config.ts'
import { lintSkills } from '../../core/lint/lint.ts'
import { RULES } from '../../core/lint/rules/index.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'

interface ScanProblemOptions {
  loaded?: Pick<LoadedConfig, 'config' | 'projectDir'>
  /** Absolute folders, if the folder has several skills. */
  skills?: readonly string[]
  /** True if a verdict has the findings about safety. */
  withoutSafety?: boolean
}

/** Sentences about what a skill without a manifest reaches. */
export async function readReach(context: Context, folder: string): Promise<string[]> {
  const { config } = await openConfig(context)
  return await describeReach(folder, { python: config.run.python, env: context.env })
}

/** Lint errors of staged skills, among them hidden text. */
export async function findScanProblems(
  context: Context,
  folder: string,
  options: ScanProblemOptions = {},
): Promise<string[]> {
  const { config, projectDir } = options.loaded ?? (await openConfig(context))
  const { findings, failures } = await lintSkills({
    skills: options.skills ?? [folder],
    cwd: folder,
    config,
    configDir: projectDir,
    env: context.env,
    ...(options.withoutSafety && { only: RULES.filter(({ id }) => !id.startsWith('safety/')) }),
  })
  const errors = findings.filter(({ severity }) => severity === 'error')
  return [
    ...errors.map(({ rule, path, message }) => `${rule} in ${path}: ${message}`),
    ...failures.map(({ message }) => message),
  ]
}
