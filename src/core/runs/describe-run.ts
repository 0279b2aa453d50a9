import { hash } from 'node:crypto'
import { userInfo } from 'node:os'
import type { PlainObject } from '../skills/manifest/manifest.ts'
import type { RecordedPolicy, RunRecord } from './history/run-record.ts'
import { capArguments } from './cap-arguments.ts'
import type { RunPlan } from './plan-run.ts'
import type { Redactor } from './redaction/redact.ts'
import type { RunCall } from './run-call.ts'
import type { RunRequest } from './run-request.ts'

/** What is known of a run when it begins. */
export interface BegunRun {
  id: string
  startedAt: Date
  plan: RunPlan
  call: RunCall
  /** Undefined where it was refused. */
  request: RunRequest | undefined
  policy: RecordedPolicy
  redactor: Redactor
}

/** The record of a run that begins; its end fills the rest in. */
export function describeRun(run: BegunRun): RunRecord {
  const { plan, request, policy, redactor } = run
  return {
    ...emptyRecord(run),
    kind: plan.target.kind === 'skill' ? 'execute_skill' : 'run_code',
    request: {
      ...targetOf(plan),
      ...capArguments(redactor.value(plan.args ?? {}) as PlainObject),
      input_blobs: [...new Set(plan.inputBlobs)],
      timeout_ms: plan.timeoutMs ?? null,
    },
    skills: plan.mounts.map(({ manifest: { name, version } }) => ({ name, version, digest: null })),
    policy,
    limits: request?.limits ?? null,
  }
}

/** What is the same for every kind of run: who asked, and that nothing came of it yet. */
export function emptyRecord({ id, startedAt, call }: Pick<BegunRun, 'id' | 'startedAt' | 'call'>) {
  return {
    run_id: id,
    status: 'running',
    who: {
      door: call.door ?? 'library',
      caller: call.caller ?? userOfProcess(),
      ...(call.traceparent === undefined ? {} : { traceparent: call.traceparent }),
    },
    isolation: null,
    started_at: startedAt.toISOString(),
    ended_at: null,
    duration_ms: null,
    exit: null,
    summary: null,
    output: null,
    error: null,
    blobs: [],
    logs: { size_bytes: 0, kept_bytes: 0, digest: null },
  } as const satisfies Partial<RunRecord>
}

/** `sha256:<hex>`. */
export function digestOf(content: string | Uint8Array): string {
  return `sha256:${hash('sha256', content)}`
}

function targetOf({ target }: RunPlan): Pick<RunRecord['request'], 'skill' | 'code'> {
  if (target.kind === 'skill') {
    const { name, version } = target.skill.manifest
    return { skill: `${name}@${version}` }
  }
  const { code, entrypoint } = target
  return { code: { digest: digestOf(code), size_bytes: Buffer.byteLength(code), entrypoint } }
}

let userOfOurs: string | undefined

/** Who runs this: a number where there is no name, as in many containers. Asking reads several files. */
export function userOfProcess(): string {
  return (userOfOurs ??= findUser())
}

function findUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
