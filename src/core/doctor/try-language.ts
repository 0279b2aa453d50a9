import { SkillsError } from '../../errors.ts'
import type { LanguageName } from '../languages/language.ts'
import type { ProgramJob, ProgramOutcome } from '../runs/job.ts'
import type { RunCall } from '../runs/run-call.ts'
import { completeLimits } from '../runs/run-limits.ts'
import { toPrintable } from '../../util/printable.ts'
import type { Machine } from './check.ts'
import { selectBackend } from './selected-backend.ts'
import { TRIAL_OUTPUT, TRIAL_PROGRAMS } from './trial-programs.ts'

/** Result of a small program in a sandbox. */
export interface LanguageTrial {
  /** Reason why it did not print its line; undefined if it did. */
  problem: string | undefined
}

const TIMEOUT_MS = 120_000
const ENVIRONMENT = {
  HOME: '/workspace',
  TMPDIR: '/tmp',
  LANG: 'C.UTF-8',
  // The optimizing compiler of Java takes longer than the program.
  JDK_JAVA_OPTIONS: '-XX:TieredStopAtLevel=1',
}

/**
 * Compiles and runs a small program of a language in real sandboxes, as a request would. Undefined
 * if no sandbox starts, which another check reports.
 */
export async function tryLanguage(
  machine: Machine,
  runtime: LanguageName,
): Promise<LanguageTrial | undefined> {
  try {
    return { problem: await findTrialProblem(machine, runtime) }
  } catch (error) {
    if (!(error instanceof SkillsError)) throw error
    return error.code.startsWith('sandbox/') ? undefined : { problem: error.message }
  }
}

async function findTrialProblem(
  machine: Machine,
  runtime: LanguageName,
): Promise<string | undefined> {
  const { findLanguage } = await import('../programs/find-language.ts')
  const { prepareProgram } = await import('../programs/prepare-program.ts')
  const { PhaseTimer } = await import('../programs/phase-timer.ts')
  const { config, sandboxes, cwd, env } = machine
  const backend = selectBackend(machine).name
  const run = { ...config.run, backend, requireIsolation: 'any' as const }
  const services = { config: { ...config, run }, sandboxes, cacheDir: undefined }
  const params = { runtime, code: TRIAL_PROGRAMS[runtime], outputMode: 'summary' as const }
  const call = { cwd, env }
  const perform = async (job: ProgramJob, keepIn?: string) =>
    await performTrial(services, job, { ...call, keepIn })
  const prepared = await prepareProgram(services, {
    isAnyPython: false,
    params: { ...params, persistOutput: false },
    location: { repository: undefined, cwd: undefined },
    found: await findLanguage(services, params, call),
    call,
    phases: new PhaseTimer('policy'),
    network: [],
    allowance: {
      timeoutMs: TIMEOUT_MS,
      outputBytes: run.limits.outputBytes,
      auditHash: '',
      perform,
    },
  })
  try {
    const { job, watched } = prepared
    const outcome = 'kind' in job ? await perform(job) : job
    const { outputTail } = watched.end(outcome)
    return outcome.status === 'success' && outputTail.includes(TRIAL_OUTPUT)
      ? undefined
      : describeTrialFailure(outcome, outputTail)
  } finally {
    prepared.release()
  }
}

const MAX_LENGTH = 200

/** Describes a failure by the last line of the output. */
function describeTrialFailure(outcome: ProgramOutcome, outputTail: string): string {
  const { status, exitCode, error } = outcome
  const line = outputTail.trim().split('\n').at(-1) ?? ''
  const how = error?.message ?? (status === 'timeout' ? 'timed out' : `exit code ${exitCode}`)
  return [how, toPrintable(line).slice(0, MAX_LENGTH)].filter(Boolean).join(': ')
}

type TrialServices = Pick<Machine, 'config' | 'sandboxes'>

/** Runs a job without a policy, a record and an audit: the code is that of `skills doctor`. */
async function performTrial(
  services: TrialServices,
  job: ProgramJob,
  call: RunCall,
): Promise<ProgramOutcome> {
  const { superviseProgram } = await import('../runs/supervise/program.ts')
  const { createRedactor } = await import('../runs/redaction/redact.ts')
  const { createRunId } = await import('../runs/history/run-id.ts')
  const { limits } = services.config.run
  const ended = await superviseProgram(
    services,
    {
      id: createRunId(),
      job: { ...job, keepsOutput: false },
      call,
      permissions: {
        skills: [],
        decision: { allowed: true, reasons: [], network: [], secrets: [] },
        limits: completeLimits({ ...limits, wallMs: TIMEOUT_MS, ...job.limits }),
        secrets: {},
        masked: [],
        stranger: undefined,
        network: undefined,
        environment: ENVIRONMENT,
        notes: [],
        ownMemoryLayout: false,
        dependencies: undefined,
      },
      hasLowPriority: false,
      redactor: createRedactor([]),
      trace: {},
      log: () => {},
      report: () => {},
    },
    [],
  )
  return await ended.value
}
