import { SkillsError, toSkillsError } from '../../errors.ts'
import { RunningHash } from '../../util/running-hash.ts'
import { printable } from '../../util/printable.ts'
import type { OutputWriter } from '../outputs/store/output-store.ts'
import { checkRunId, newRunId } from './history/run-id.ts'
import type { OpenRecord } from './history/run-store.ts'
import type { Services } from '../services.ts'
import { concludeRun, type Conclusion } from './conclude-run.ts'
import { describeProgram, type BegunProgram } from './describe-program.ts'
import { followProgram, type ProgramEnding } from './follow-program.ts'
import { digestSkills } from './digest-skills.ts'
import { openRecord } from './open-record.ts'
import { planProgram, type DecidedProgram } from './plan-program.ts'
import {
  auditProgramRefusal,
  digestsOfProgram,
  permitProgram,
  programResult,
} from './govern-program.ts'
import { narrowLimits, nothingStarted } from './govern-run.ts'
import { decisionOf, type Permit } from './permit.ts'
import { judgeProgram } from './program-outcome.ts'
import type { ProgramControls, ProgramOutcome, ProgramPlan } from './program-plan.ts'
import { redactorFor } from './redaction/redact.ts'
import type { RunCall } from './run-call.ts'
import type { RunResult } from './result.ts'
import { startProgram, type ProgramStart, type StartedProgram } from './start-program.ts'
import type { RunTrace } from './trace.ts'

/** What a record holds of a program's output besides notes; all of it lies among the outputs. */
const ROOM_FOR_OUTPUT = 64 * 1024

/**
 * Decides about a program, runs it and records it; the record is durable before anybody is answered.
 * How it ends is an outcome, also where it was cancelled; what could not run is thrown.
 */
export async function performProgram(
  services: Services,
  plan: ProgramPlan,
  call: RunCall,
): Promise<ProgramOutcome> {
  const id = call.runId === undefined ? newRunId() : checkRunId(call.runId)
  const known = { id, startedAt: new Date(), plan, call }
  let decided: DecidedProgram
  try {
    decided = await planProgram(services, plan, call)
  } catch (error) {
    if (toSkillsError(error).code !== 'params/invalid') await recordRefusal(services, known, error)
    throw error
  }
  const { allowed, reasons, network } = decided.decision
  const redactor = redactorFor([
    ...Object.values(decided.secrets),
    ...(call.secrets?.values() ?? []),
  ])
  const permit = await permitOrRecord(services, known, { id, call, decided, redactor })
  const limits = narrowLimits(decided.limits, permit)
  const { decision, begun: audit } = permit
  const secrets = Object.keys(decided.secrets)
  const policy = { allowed, reasons, network, secrets, decision, audit }
  const begun = { ...known, plan: decided.plan, limits, policy, redactor }
  let outcome: ProgramOutcome | undefined
  try {
    const { leave } = permit
    outcome = await runAndRecord(services, begun, { ...decided, limits, leave })
    return outcome
  } finally {
    await permit.end(outcome ? programResult(outcome) : nothingStarted, digestsOfProgram(outcome))
  }
}

/** What policy refuses has a record as well; those that were sent away because many wait are many. */
async function permitOrRecord(
  services: Services,
  known: Pick<BegunProgram, 'id' | 'startedAt' | 'plan' | 'call'>,
  decided: Parameters<typeof permitProgram>[1],
): Promise<Permit> {
  try {
    return await permitProgram(services, decided)
  } catch (error) {
    if (toSkillsError(error).code !== 'run/busy') await recordRefusal(services, known, error)
    throw error
  }
}

async function runAndRecord(
  services: Services,
  begun: BegunProgram,
  decided: DecidedProgram & Pick<Permit, 'leave'>,
): Promise<ProgramOutcome> {
  const { call, redactor, id, plan } = begun
  const started = describeProgram(begun)
  const record = await openRecord(services, started, ROOM_FOR_OUTPUT)
  const skills = digestSkills(plan.skills)
  const trace: RunTrace = {}
  const close = async (how: Pick<Conclusion, 'result' | 'thrown' | 'wasCancelled'>) => {
    call.onStep?.('record')
    if (trace.isolation) call.onIsolated?.(trace.isolation)
    await record.close(
      concludeRun(started, { ...how, trace, blobs: [], redactor, skills: await skills }),
    )
  }
  const tell = (state: 'starting' | 'running' | 'collecting' | RunResult['status'] | 'cancelled') =>
    call.onEvent?.({ type: 'state', run_id: id, state })
  tell('starting')
  const output = await openOutput(services, begun)
  const digests = { stdout: new RunningHash(), stderr: new RunningHash() }
  let outcome: ProgramOutcome
  try {
    outcome = await runOnce(services, { begun, decided, record, trace, output, digests, tell })
    decided.leave()
  } catch (thrown) {
    await output?.abort()
    const wasCancelled = toSkillsError(thrown).code === 'run/cancelled'
    await close({ result: undefined, thrown, wasCancelled }).catch(() => {})
    tell(wasCancelled ? 'cancelled' : 'failed')
    if (wasCancelled) return neverStarted(begun)
    throw thrown
  }
  const wasCancelled = outcome.status === 'cancelled'
  const kept = output?.finish(outcome)
  const thrown = new SkillsError('run/cancelled', 'The run was cancelled')
  await close(
    wasCancelled
      ? { result: undefined, thrown, wasCancelled }
      : { result: toRunResult(outcome), thrown: undefined, wasCancelled },
  )
  tell(wasCancelled ? 'cancelled' : outcome.status === 'success' ? 'completed' : 'failed')
  return { ...outcome, output: await kept, digests: digestsIn(digests) }
}

function digestsIn({ stdout, stderr }: Running['digests']): ProgramOutcome['digests'] {
  return { stdout: `sha256:${stdout.hex()}`, stderr: `sha256:${stderr.hex()}` }
}

/** Where what it prints is kept, for its caller alone. */
async function openOutput(
  services: Services,
  { id, plan, call }: BegunProgram,
): Promise<OutputWriter | undefined> {
  if (plan.keepsOutput === false) return undefined
  const { repo, language } = plan
  return (await services.outputs()).open({ runId: id, owner: call.caller, repo, language })
}

interface Running {
  begun: BegunProgram
  decided: DecidedProgram
  record: OpenRecord
  trace: RunTrace
  /** Where what it prints is kept. */
  output: OutputWriter | undefined
  /** Of what it prints, whether that is kept or not. */
  digests: Readonly<Record<'stdout' | 'stderr', RunningHash>>
  tell: (state: 'running' | 'collecting') => void
}

async function runOnce(services: Services, running: Running): Promise<ProgramOutcome> {
  const { begun, decided, trace, tell } = running
  const { id, plan, call, redactor } = begun
  const store = await services.blobs()
  const held = await store.hold([...new Set(plan.inputBlobs)])
  const startedAt = performance.now()
  let started: StartedProgram | undefined
  try {
    const blobs = held.files.map((file) => ({
      name: file.id.slice('blob:'.length),
      path: file.path,
    }))
    const note = noteInto(running)
    const start: ProgramStart = { id, decided, call, trace, blobs, note }
    started = await startProgram(services, start)
    const { sandbox } = started
    trace.isolation = sandbox.isolation
    tell('running')
    const heard = { bytes: 0 }
    plan.onStarted?.(controlsOf(id, started, heard))
    const ending = await followProgram(sandbox, {
      wallMs: decided.limits.wallMs,
      outputBytes: decided.limits.outputBytes,
      dropsOutput: plan.dropsOutput === true,
      redactor,
      signal: call.signal,
      take: takerOf(running),
      heard,
    })
    tell('collecting')
    trace.exit = ending.exit
    return outcomeOf(running, ending, { startedAt, isolation: sandbox.isolation })
  } finally {
    started?.network?.close()
    await held.release()
  }
}

function outcomeOf(
  { begun, decided }: Running,
  { exit, ...streams }: ProgramEnding,
  at: { startedAt: number; isolation: ProgramOutcome['isolation'] },
): ProgramOutcome {
  const { error, ...judged } = judgeProgram(exit, decided.limits, begun.plan.program.argv)
  const message = error && begun.redactor.cutText(error.message)
  return {
    runId: begun.id,
    ...judged,
    durationMs: Math.round(performance.now() - at.startedAt),
    isolation: at.isolation,
    ...(exit.kept && { kept: exit.kept }),
    ...(error && { error: { ...error, message: message ?? '' } }),
    ...streams,
  }
}

/** Everything that it prints goes to whoever asked, into the record, and to whoever watches. */
function takerOf({ begun, record, output, digests }: Running) {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
  return async (stream: 'stdout' | 'stderr', chunk: Buffer): Promise<void> => {
    const text = decoders[stream].decode(chunk, { stream: true })
    if (output) record.log(chunk, stream)
    if (text !== '') begun.call.onEvent?.({ type: 'log', stream, text })
    digests[stream].update(chunk)
    await output?.[stream].write(chunk)
    await begun.plan.sinks[stream](chunk)
  }
}

function noteInto({ begun, record }: Running) {
  return (text: string): void => {
    const line = `[skills] ${printable(begun.redactor.text(text))}\n`
    record.log(line)
    begun.call.onEvent?.({ type: 'log', stream: 'runtime', text: line })
  }
}

function controlsOf(
  runId: string,
  { sandbox }: StartedProgram,
  heard: { bytes: number },
): ProgramControls {
  return {
    runId,
    isolation: sandbox.isolation,
    stdin: sandbox.stdin,
    resize: (columns, rows) => sandbox.resize?.(columns, rows),
    isWaiting: async () => {
      const printed = (await sandbox.waitsAfter?.()) ?? null
      // What it said before has to be heard first.
      return printed !== null && heard.bytes >= printed
    },
    signal: (name) => sandbox.signal?.(name),
  }
}

function neverStarted({ id }: BegunProgram): ProgramOutcome {
  return {
    runId: id,
    status: 'cancelled',
    exitCode: null,
    signal: null,
    durationMs: 0,
    isolation: null,
    stdoutBytes: 0,
    stderrBytes: 0,
    truncated: false,
  }
}

/** As records know results. */
function toRunResult(outcome: ProgramOutcome): RunResult {
  const { exitCode, signal, error } = outcome
  const how = signal === null ? `exit code ${exitCode ?? 'unknown'}` : `signal ${signal}`
  return {
    status: outcome.status === 'success' ? 'completed' : 'failed',
    run_id: outcome.runId,
    summary: error ? `${error.type}: ${error.message}` : `The program ended with ${how}`,
    output_blobs: [],
    logs_preview: '',
    ...(error && { error }),
    isolation: outcome.isolation,
    duration_ms: outcome.durationMs,
  }
}

/** A program that was refused or could not be planned has a record as well. */
async function recordRefusal(
  services: Services,
  known: Pick<BegunProgram, 'id' | 'startedAt' | 'plan' | 'call'>,
  thrown: unknown,
): Promise<void> {
  const { code, data } = toSkillsError(thrown)
  const reasons = (data?.['reasons'] as string[] | undefined) ?? []
  const values = [
    ...(known.call.secrets?.values() ?? []),
    ...Object.values(known.plan.secrets ?? {}),
  ]
  const redactor = redactorFor(values)
  const isDenied = code === 'policy/denied'
  const decision = decisionOf(thrown)
  if (isDenied && !decision) await auditProgramRefusal(services, { ...known, redactor }, reasons)
  const policy = {
    allowed: !isDenied,
    reasons,
    network: [],
    secrets: [],
    ...(decision && { decision }),
  }
  const begun = { ...known, limits: undefined, policy, redactor }
  const started = describeProgram(begun)
  const record = await openRecord(services, started, 0)
  const skills = await digestSkills(known.plan.skills)
  const nothing = { result: undefined, trace: {}, blobs: [], wasCancelled: false }
  await record.close(concludeRun(started, { ...nothing, thrown, skills, redactor }))
}
