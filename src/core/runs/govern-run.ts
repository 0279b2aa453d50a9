import type { AuditedResult } from '../audit/audit-record.ts'
import { hashOf } from '../policy/judge.ts'
import type { PolicyRequest } from '../policy/policy-request.ts'
import type { RunRecord } from './history/run-record.ts'
import type { Services } from '../services.ts'
import type { Limits } from '../sandbox/backend.ts'
import { contentsOf, describeCall, whoAsks } from './describe-decision.ts'
import type { BegunRun } from './describe-run.ts'
import type { GovernedCall, Permit } from './permit.ts'
import type { RunCall } from './run-call.ts'

/** A run of a skill or of code as policy knows it. */
export function describeAsked(run: Omit<BegunRun, 'policy'>): GovernedCall {
  const { id, plan, call, request, redactor } = run
  const isSkill = plan.target.kind === 'skill'
  const asked: PolicyRequest = {
    kind: isSkill ? 'execute_skill' : 'run_code',
    ...whoAsks(call),
    skills: plan.mounts.map(({ manifest: { name, version } }) => `${name}@${version}`),
    language: languageOf(run),
    timeoutMs: plan.timeoutMs,
    network: request?.decision.network ?? [],
    environment: Object.keys(request?.environment ?? {}),
  }
  const code = plan.target.kind === 'code' ? { code: redactor.text(plan.target.code) } : {}
  const args = JSON.stringify(redactor.value(plan.args ?? {}))
  return { runId: id, request: asked, given: { ...code, args } }
}

function languageOf({ plan: { target } }: Pick<BegunRun, 'plan'>): string | undefined {
  return target.kind === 'skill' ? target.skill.manifest.runtime?.language : 'python'
}

/** What the policy leaves of a run's limits. */
export function narrowLimits(limits: Limits, { verdict }: Permit): Limits {
  const { timeoutMs, outputBytes } = verdict.limits
  return {
    ...limits,
    wallMs: Math.min(limits.wallMs, timeoutMs),
    outputBytes: Math.min(limits.outputBytes, outputBytes),
  }
}

/** How a run ended, as the audit log has it. */
export function resultOf(record: RunRecord): AuditedResult {
  const { status, exit, duration_ms, isolation, error } = record
  return {
    status,
    exit_code: exit?.code ?? null,
    signal: exit?.signal == null ? null : String(exit.signal),
    duration_ms,
    isolation: isolation ? `${isolation.backend} ${isolation.tier}` : null,
    ...(error && { error: error.type }),
  }
}

/** Of what a run made. */
export function digestsOf({ output, blobs }: RunRecord): Record<string, string> {
  return {
    ...(output && { output: output.digest }),
    ...Object.fromEntries(blobs.map(({ blob_id, digest }) => [blob_id, digest])),
  }
}

/** How a run ended that never began. */
export const nothingStarted: AuditedResult = {
  status: 'not_started',
  exit_code: null,
  signal: null,
  duration_ms: null,
  isolation: null,
}

/** Writes down a run that was refused before the policy was asked: for want of what would hold it. */
export async function auditRefusal(
  services: Services,
  call: RunCall,
  { asked, reasons }: { asked: GovernedCall; reasons: readonly string[] },
): Promise<void> {
  const { timeoutMs, limits } = services.config.run
  const log = await services.audit()
  await log.append(
    {
      ...describeCall(call, asked, contentsOf(asked, services.config.audit.contents)),
      event: 'denied',
      decision: {
        allowed: false,
        code: 'network-not-allowed',
        layer: 'policy',
        reasons,
        rules: [],
        limits: { timeout_ms: timeoutMs, output_bytes: limits.outputBytes },
        policies: [],
        audit_hash: hashOf({ request: asked.request, reasons }),
      },
    },
    { durable: true },
  )
}
