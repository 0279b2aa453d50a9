import { SkillsError, toSkillsError } from '../../errors.ts'
import type {
  AuditedApproval,
  AuditedDecision,
  AuditedResult,
  AuditEntry,
} from '../audit/audit-record.ts'
import type { ChainLink } from '../audit/chain.ts'
import { computeAuditHash, evaluatePolicy } from '../policy/evaluate-policy.ts'
import type { Policy } from '../policy/policy.ts'
import { listRepositoryFolders } from '../policy/repository-registry.ts'
import type { Denial, PolicyVerdict } from '../policy/verdict.ts'
import type { Services } from '../services.ts'
import {
  describeCall,
  describeDecision,
  pickContents,
  type RunRequest,
} from './describe-request.ts'
import { digestRecord } from './history/digest-record.ts'
import type { RunRecord } from './history/run-record.ts'
import type { RunCall } from './run-call.ts'
import type { PhaseClock } from './run-phases.ts'
import type { RunQueue, RunSlot } from './queue/run-queue.ts'

/** An authorized run. It occupies a slot of the queue until `end` is called. */
export interface Authorization {
  verdict: PolicyVerdict
  /** The decision as it is written to the audit log. */
  decision: AuditedDecision
  /** Link to the `begun` entry in the audit log. */
  beginLink: ChainLink
  /** True if runs of other callers get the processor first. */
  hasLowPriority: boolean
  /** Adds the digest of a complete run record to the last entry, so that the chain covers it. */
  coverRecord(record: RunRecord): void
  /**
   * Releases the slot, then appends the result and the digests (`sha256:<hex>` by name) to the
   * audit log. Durable when it returns; later calls have no effect. Throws `audit/unavailable`: the
   * caller must not get a result then.
   */
  end(result: AuditedResult, digests?: Readonly<Record<string, string>>): Promise<void>
}

/** A denial with the complete decision. The caller receives only a part of it. */
export class DeniedError extends SkillsError {
  readonly decision: AuditedDecision

  constructor(decision: AuditedDecision) {
    const { code, layer, reasons, rules, audit_hash } = decision
    super('policy/denied', reasons.join('; '), {
      hint: 'Type "skills policy explain" to see what is allowed',
      data: { code, layer, reasons, rules, audit_hash },
    })
    this.decision = decision
  }
}

/** One request, evaluated under one policy. */
interface AuthorizationRequest {
  services: Services
  call: RunCall
  clock: PhaseClock
  request: RunRequest
  policy: Policy
  /** Fields of every audit record of the run. */
  base: Omit<AuditEntry, 'event' | 'decision'>
}

/**
 * Evaluates the policy for a run; the only function that does. Throws `policy/denied` with the
 * layer and code of the first denial in its data, `run/busy` if the queue is full, and
 * `audit/unavailable` if the decision cannot be written. The decision is in the audit log before
 * the caller gets an answer.
 */
export async function authorize(
  services: Services,
  run: { call: RunCall; clock: PhaseClock },
  request: RunRequest,
): Promise<Authorization> {
  const { call, clock } = run
  clock.enter('policy')
  const policy = await services.policy()
  const base = describeCall(call, request, pickContents(request, services.config.audit.contents))
  const pending = { services, call, clock, request, policy, base }
  const evaluated = evaluatePolicy(request.facts, policy)
  // The hash of an answer leads to one run, also among requests that are alike.
  const auditHash = computeAuditHash({ of: evaluated.auditHash, run: request.runId })
  const verdict = { ...evaluated, auditHash }
  if (!verdict.allowed) throw await recordDenial(pending, verdict)
  const approval =
    verdict.approval.length > 0 ? await requestApprovalInTurn(pending, verdict) : undefined
  if (approval && approval.answer !== 'approved') {
    throw await recordDenial(
      pending,
      addDenial(verdict, describeApprovalDenial(approval)),
      approval,
    )
  }
  const slot = await enterQueue(pending, verdict, approval)
  try {
    const isSame = (await services.policy()) === policy
    if (isSame) return await recordBegin(pending, { verdict, approval, slot })
  } catch (error) {
    slot.release()
    throw error
  }
  // The policy changed while the run waited for approval or a slot: evaluate the new one.
  slot.release()
  return await authorize(services, run, request)
}

async function recordBegin(
  { services, call, base, policy }: AuthorizationRequest,
  granted: { verdict: PolicyVerdict; approval: AuditedApproval | undefined; slot: RunSlot },
): Promise<Authorization> {
  const { verdict, approval, slot } = granted
  const log = await services.audit()
  const decision = describeDecision(verdict, policy, approval)
  // The acceptance of a detached run is durable, and so is its start in the log.
  const durable = call.isDetached === true
  const beginLink = await log.append({ ...base, event: 'begun', decision }, { durable })
  const records: Record<string, string> = {}
  let isOver = false
  return {
    verdict,
    decision,
    beginLink,
    hasLowPriority: slot.hasLowPriority,
    coverRecord(record) {
      records[record.run_id] = digestRecord(record)
    },
    async end(result, digests = {}) {
      if (isOver) return
      isOver = true
      // All processes are dead, so the slot is free before the entry is on disk.
      slot.release()
      const all = { ...base.digests, ...digests }
      const entry = { ...base, event: 'ended', decision, digests: all, records, result } as const
      await log.append(entry, { durable: true })
    },
  }
}

/** The number of concurrent approval requests is limited. */
async function requestApprovalInTurn(
  pending: AuthorizationRequest,
  verdict: PolicyVerdict,
): Promise<AuditedApproval> {
  const slot = await acquireSlot(pending, pending.services.approvals, { verdict })
  try {
    return await approveDecision(pending, verdict)
  } finally {
    slot.release()
  }
}

async function approveDecision(
  { services, call, request, policy, base }: AuthorizationRequest,
  verdict: PolicyVerdict,
): Promise<AuditedApproval> {
  const { requestApproval } = await import('../policy/approval/request-approval.ts')
  const { kind, who, request: audited, digests, run_id } = base
  const inputs = pickContents(request, true)
  return await requestApproval({
    hook: policy.approval,
    question: {
      run_id,
      rules: verdict.approval,
      kind,
      who,
      request: audited,
      digests,
      given: inputs,
    },
    env: call.env,
    excluded: listRepositoryFolders(services.config),
    signal: call.signal,
  })
}

/** Waits for a slot. A denied or unapproved run never occupies one. */
async function enterQueue(
  pending: AuthorizationRequest,
  verdict: PolicyVerdict,
  approval: AuditedApproval | undefined,
): Promise<RunSlot> {
  const { services, call, clock } = pending
  clock.enter('wait')
  const slot = await acquireSlot(pending, call.runQueue ?? services.runQueue, {
    verdict,
    approval,
  })
  clock.enter('begin')
  call.onEvent?.({ type: 'admitted' })
  return slot
}

/** Acquires a slot. If the queue is full, audits the denial and throws `run/busy`. */
async function acquireSlot(
  pending: AuthorizationRequest,
  queue: RunQueue,
  { verdict, approval }: { verdict: PolicyVerdict; approval?: AuditedApproval | undefined },
): Promise<RunSlot> {
  try {
    const { signal = new AbortController().signal, caller } = pending.call
    return await queue.acquire(signal, caller?.principal, caller?.maxRuns)
  } catch (error) {
    if (toSkillsError(error).code !== 'run/busy') throw error
    const sentence = toSkillsError(error).message
    const denial = { code: 'concurrency-limit-reached', layer: 'concurrency', sentence } as const
    await recordDenial(pending, addDenial(verdict, denial), approval)
    throw error
  }
}

function addDenial(verdict: PolicyVerdict, denial: Denial): PolicyVerdict {
  const auditHash = computeAuditHash({ of: verdict.auditHash, code: denial.code })
  return { ...verdict, allowed: false, denials: [denial], auditHash }
}

/** Appends a denial to the audit log and returns the error to throw. */
async function recordDenial(
  { services, base, policy }: AuthorizationRequest,
  verdict: PolicyVerdict,
  approval?: AuditedApproval,
): Promise<DeniedError> {
  const decision = describeDecision(verdict, policy, approval)
  const log = await services.audit()
  await log.append({ ...base, event: 'denied', decision }, { durable: true })
  return new DeniedError(decision)
}

const APPROVAL_CODES = {
  refused: 'approval-refused',
  'timed-out': 'approval-timed-out',
  failed: 'approval-failed',
} as const

function describeApprovalDenial({ answer, reason, by, rules }: AuditedApproval): Denial {
  const code = APPROVAL_CODES[answer as keyof typeof APPROVAL_CODES]
  const names = rules.map((name) => `"${name}"`).join(', ')
  const message = {
    'approval-refused': `The approval that ${names} requires was refused${by ? ` by ${by}` : ''}`,
    'approval-timed-out': `The approval that ${names} requires timed out`,
    'approval-failed': `The approval that ${names} requires failed`,
  }[code]
  return {
    code,
    layer: 'approval',
    sentence: reason ? `${message}: ${reason}` : message,
    by: rules[0],
  }
}
