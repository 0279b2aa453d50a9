import { describeReach } from '../../adopting/describe-reach.ts'
import { lintSkills } from '../../lint/lint.ts'
import { RULES } from '../../lint/rules/index.ts'
import type { VetReport } from '../../vetting/index.ts'
import type { StagedFacts } from './candidate.ts'
import type { Installer } from './installer.ts'

type Examiner = Pick<Installer, 'config' | 'projectDir' | 'env' | 'caller'>

interface ExaminedFolder {
  dir: string
  source: string
  /** True for a command that executes nothing. */
  neverRuns?: boolean
}

/** Lints and vets a skill that waits for a consent. With `install.vet = "run"`, it also runs with bait. */
export async function examineStaged(
  installer: Examiner,
  folder: ExaminedFolder,
): Promise<StagedFacts> {
  const { config, env } = installer
  return {
    vetting: await vetStaged(installer, folder),
    reach: await describeReach(folder.dir, { python: config.run.python, env }),
    problems: await findScanProblems(installer, folder.dir, {
      withoutSafety: config.install.vet !== 'off',
    }),
  }
}

async function vetStaged(
  { config, caller }: Examiner,
  { dir, source, neverRuns = false }: ExaminedFolder,
): Promise<VetReport | undefined> {
  const { vet } = config.install
  if (vet === 'off') return undefined
  const { addProofs, vetFolder } = await import('../../vetting/index.ts')
  const report = vetFolder(dir)
  if (vet !== 'run' || neverRuns) return report
  return addProofs(report, dir, await caller.runTrials(dir, source))
}

interface ScannedFolders {
  /** Absolute folders, if the folder has several skills. */
  skills?: readonly string[]
  /** True if a verdict has the findings about safety. */
  withoutSafety?: boolean
}

/** Lint errors of staged skills, among them hidden text. */
export async function findScanProblems(
  { config, projectDir, env }: Pick<Installer, 'config' | 'projectDir' | 'env'>,
  folder: string,
  { skills = [folder], withoutSafety = false }: ScannedFolders = {},
): Promise<string[]> {
  const { findings, failures } = await lintSkills({
    skills,
    cwd: folder,
    config,
    configDir: projectDir,
    env,
    ...(withoutSafety && { only: RULES.filter(({ id }) => !id.startsWith('safety/')) }),
  })
  const errors = findings.filter(({ severity }) => severity === 'error')
  return [
    ...errors.map(({ rule, path, message }) => `${rule} in ${path}: ${message}`),
    ...failures.map(({ message }) => message),
  ]
}
