import { runInSlices } from '../../util/slices/run-in-slices.ts'
import { toSnakeKeys } from '../../util/snake-keys.ts'
import type { Limits } from '../sandbox/backend.ts'
import type { PlainObject } from '../skills/manifest/manifest.ts'
import { capArguments } from './cap-arguments.ts'
import {
  getRequestedTimeout,
  describeFacts,
  resolvePrincipal,
  type RequestedRun,
  type RunRequest,
} from './describe-request.ts'
import { computeDigest } from './compute-digest.ts'
import type { RecordedPolicy, RecordedRequest, RunRecord } from './history/run-record.ts'
import { isFunctionJob, type FunctionJob, type ProgramJob } from './job.ts'
import type { RunCaller } from './run-call.ts'

/** A run when its record is opened. */
export interface DescribedRun extends RequestedRun {
  startedAt: Date
  request: RunRequest
  policy: RecordedPolicy
  /** Null if the run was refused. */
  limits: Limits | null
}

/** Builds the record of a run at its start; the end completes it. */
export async function describeRun(run: DescribedRun): Promise<RunRecord> {
  const { id, job, call, startedAt, policy, limits } = run
  return {
    run_id: id,
    kind: job.kind,
    status: 'running',
    who: {
      ...resolvePrincipal(call.caller),
      ...describeCaller(call.caller),
    },
    request: {
      ...(await describeJob(run)),
      input_blobs: 'inputBlobs' in job ? [...new Set(job.inputBlobs)] : [],
      timeout_ms: getRequestedTimeout(job) ?? null,
    },
    skills: job.skills.map(({ manifest: { name, version } }) => ({ name, version, digest: null })),
    policy,
    isolation: null,
    limits: toSnakeKeys(limits) as RunRecord['limits'],
    started_at: startedAt.toISOString(),
    ended_at: null,
    duration_ms: null,
    exit: null,
    summary: null,
    output: null,
    error: null,
    blobs: [],
    logs: { size_bytes: 0, kept_bytes: 0, digest: null },
  }
}

function describeCaller({ name, principal, traceparent }: RunCaller = {}) {
  // Callers without a token share one name: their key tells them apart.
  const isOther = name !== undefined && principal !== undefined && principal !== name
  return { ...(isOther && { principal }), ...(traceparent !== undefined && { traceparent }) }
}

type DescribedJob = Omit<RecordedRequest, 'input_blobs' | 'timeout_ms'>

async function describeJob({ job, redactor, request }: DescribedRun): Promise<DescribedJob> {
  const capped = async (args: PlainObject) => await runInSlices(capArguments(args, redactor))
  if (isFunctionJob(job)) return { ...describeTarget(job), ...(await capped(job.args ?? {})) }
  if ('prepare' in job) return { args: describeUnprepared(request), args_cut: [] }
  const { argv, cwd } = job.program
  const program = { executable: redactor.text(argv[0] ?? ''), cwd: redactor.text(cwd) }
  return { program, ...(await capped((job satisfies ProgramJob).recordedArgs)) }
}

/** A program that was never prepared is described by its policy request. */
function describeUnprepared({ facts, inputs }: RunRequest): PlainObject {
  const { skills: _, timeout_ms: _timeout, network, environment, ...rest } = describeFacts(facts)
  const digests = Object.entries(inputs).map(([name, { digest }]) => [name, digest])
  return {
    ...rest,
    network: [...network],
    environment: [...environment],
    digests: Object.fromEntries(digests) as Record<string, string>,
  }
}

function describeTarget({ target }: FunctionJob): Pick<RecordedRequest, 'skill' | 'code'> {
  if (target.kind === 'skill') {
    const { name, version } = target.skill.manifest
    return { skill: `${name}@${version}` }
  }
  const { code, entrypoint } = target
  return { code: { digest: computeDigest(code), size_bytes: Buffer.byteLength(code), entrypoint } }
}
