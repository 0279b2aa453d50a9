import type { VetReport } from '../../core/vetting/index.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { loadInstallRules } from './load-rules.ts'
import { findScanProblems, readReach } from './scan-skill.ts'

/** Facts about a staged skill for the consent. */
export interface StagedFacts {
  /** Undefined if the configuration turns it off. */
  vetting: VetReport | undefined
  /** Hosts, programs and secrets of a skill without a manifest, as sentences. */
  reach: readonly string[]
  /** Lint errors, without those that the verdict has. */
  problems: readonly string[]
}

interface ExaminedFolder {
  dir: string
  source: string
  /** True for a command that executes nothing. */
  neverRuns?: boolean
}

/** Lints and vets a skill that waits for a consent. With `install.vet = "run"`, it also runs with bait. */
export async function examineStaged(
  context: Context,
  call: CommandLine,
  { dir, source, neverRuns = false }: ExaminedFolder,
): Promise<StagedFacts> {
  const { vet } = await loadInstallRules(context)
  return {
    vetting:
      vet === 'off'
        ? undefined
        : await vetForConsent(context, call, { dir, source, isRun: vet === 'run' && !neverRuns }),
    reach: await readReach(context, dir),
    problems: await findScanProblems(context, dir, { withoutSafety: vet !== 'off' }),
  }
}

async function vetForConsent(...request: Parameters<VetStaged>): Promise<VetReport> {
  const { vetStaged } = await import('../vet/vet-staged.ts')
  return (await vetStaged(...request)).report
}

type VetStaged = typeof import('../vet/vet-staged.ts').vetStaged
