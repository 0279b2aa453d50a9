import { describeReach } from '../../adopting/describe-reach.ts'
import { lintSkills } from '../../lint/lint.ts'
import { RULES } from '../../lint/rules/index.ts'
import type { VetReport } from '../../vetting/index.ts'
import type { StagedFacts } from './candidate.ts'
import type { Installer } from './installer.ts'

interface ExaminedFolder {
  dir: string
  source: string
  /** True for a command that executes nothing. */
  neverRuns?: boolean
}

/** Lints and vets a skill that waits for a consent. With `install.vet = "run"`, it also runs with bait. */
export async function examineStaged(
  installer: Pick<Installer, 'config' | 'projectDir' | 'env' | 'caller'>,
  { dir, source, neverRuns = false }: ExaminedFolder,
): Promise<StagedFacts> {
  const { config, env, caller } = installer
  const { vet } = config.install
  const trials =
    vet === 'run' && !neverRuns ? async () => await caller.runTrials(dir, source) : undefined
  return {
    vetting: vet === 'off' ? undefined : await vetForConsent(dir, trials),
    reach: await describeReach(dir, { python: config.run.python, env }),
    problems: await findScanProblems(installer, dir, { withoutSafety: vet !== 'off' }),
  }
}

async function vetForConsent(
  dir: string,
  runTrials: (() => ReturnType<Installer['caller']['runTrials']>) | undefined,
): Promise<VetReport> {
  const { addProofs, vetFolder } = await import('../../vetting/index.ts')
  const report = vetFolder(dir)
  return runTrials ? addProofs(report, dir, await runTrials()) : report
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
