import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import type { Executor } from '../../core/sandbox/executor/executor.ts'
import { requireExecutor } from '../../core/sandbox/executor/guarantees.ts'
import { COMMAND_REQUIREMENTS } from './commands.ts'
import { ISOLATION_REQUIREMENTS } from './isolation.ts'
import { LIMIT_REQUIREMENTS } from './limits.ts'
import type { ExecutorNeed, ExecutorRequirement } from './requirement.ts'
import { RUN_REQUIREMENTS } from './runs.ts'

/** The conformance suite of executors. */
export const EXECUTOR_REQUIREMENTS: readonly ExecutorRequirement[] = [
  ...COMMAND_REQUIREMENTS,
  ...ISOLATION_REQUIREMENTS,
  ...LIMIT_REQUIREMENTS,
  ...RUN_REQUIREMENTS,
]

/** The outcome of one requirement. */
export interface ExecutorFinding {
  id: string
  /** The requirement as one sentence. */
  text: string
  /** `not claimed`: the executor does not guarantee it, which is no failure. */
  verdict: 'passed' | 'failed' | 'not claimed'
  /** Undefined if nothing is wrong. */
  reason: string | undefined
  durationMs: number
}

/** Selects requirements and receives findings. */
export interface CheckExecutorOptions {
  /** Ids of requirements, or areas such as `isolation`. Default: all. */
  only?: readonly string[] | undefined
  onFinding?: ((finding: ExecutorFinding) => void) | undefined
  signal?: AbortSignal | undefined
}

/** Checks an executor by the conformance suite, one requirement after the other. */
export async function checkExecutor(
  executor: Executor,
  { only, onFinding = () => {}, signal = new AbortController().signal }: CheckExecutorOptions = {},
): Promise<ExecutorFinding[]> {
  requireExecutor(executor)
  const findings: ExecutorFinding[] = []
  for (const requirement of selectRequirements(only)) {
    if (signal.aborted) throw signal.reason
    const finding = await checkRequirement(executor, requirement, signal)
    findings.push(finding)
    onFinding(finding)
  }
  return findings
}

function selectRequirements(only: readonly string[] | undefined): readonly ExecutorRequirement[] {
  if (!only) return EXECUTOR_REQUIREMENTS
  const isSelected = (id: string, each: string) => id === each || id.startsWith(`${each}/`)
  const unknown = only.find((each) => !EXECUTOR_REQUIREMENTS.some(({ id }) => isSelected(id, each)))
  if (unknown !== undefined) {
    throw new SkillsError('usage/invalid', `"${unknown}" is not a requirement on executors`, {
      hint: 'EXECUTOR_REQUIREMENTS of skills-protocol/executors lists all',
    })
  }
  return EXECUTOR_REQUIREMENTS.filter(({ id }) => only.some((each) => isSelected(id, each)))
}

async function checkRequirement(
  executor: Executor,
  requirement: ExecutorRequirement,
  signal: AbortSignal,
): Promise<ExecutorFinding> {
  const { id, text, needs } = requirement
  const nothing = { id, text, reason: undefined, durationMs: 0 }
  if (needs && !isClaimed(executor, needs)) return { ...nothing, verdict: 'not claimed' }
  const folder = mkdtempSync(join(tmpdir(), 'skills-executor-'))
  const startedMs = performance.now()
  const measure = () => Math.round(performance.now() - startedMs)
  try {
    await requirement.check({ executor, signal: AbortSignal.any([signal]), folder })
    return { ...nothing, verdict: 'passed', durationMs: measure() }
  } catch (error) {
    const reason = (error as Error).message
    return { ...nothing, verdict: 'failed', reason, durationMs: measure() }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function isClaimed({ guarantees }: Executor, needs: ExecutorNeed): boolean {
  return 'isolates' in needs
    ? guarantees.isolates.includes(needs.isolates)
    : guarantees.limits.includes(needs.limits)
}
