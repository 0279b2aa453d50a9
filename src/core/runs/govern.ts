import { SkillsError, toSkillsError } from '../../errors.ts'
import type { AuditedApproval, AuditedDecision, AuditEntry } from '../audit/audit-record.ts'
import { hashOf, judge } from '../policy/judge.ts'
import type { Policy } from '../policy/policy.ts'
import { repositoryFolders } from '../policy/repositories.ts'
import type { Denial, PolicyVerdict } from '../policy/verdict.ts'
import type { Services } from '../services.ts'
import { contentsOf, describeCall, describeDecision } from './describe-decision.ts'
import { rememberDecision, type GovernedCall, type Permit } from './permit.ts'
import type { RunCall } from './run-call.ts'
import type { Leave, RunGate } from './run-gate.ts'

/** What governing one call goes by. */
interface Governing {
  services: Services
  call: RunCall
  asked: GovernedCall
  policy: Policy
  /** Goes into every record of the call. */
  base: Omit<AuditEntry, 'event' | 'decision'>
}

/**
 * Lets a call through, or throws `policy/denied` with the layer and code of the first denial in its
 * data; `run/busy` where too many wait; `audit/unavailable` where it cannot be written down. Whatever
 * comes of it stands in the audit log before anybody is answered.
 */
export async function govern(
  services: Services,
  call: RunCall,
  asked: GovernedCall,
): Promise<Permit> {
  call.onStep?.('policy')
  const policy = await services.policy()
  const base = describeCall(call, asked, contentsOf(asked, services.config.audit.contents))
  const governing = { services, call, asked, policy, base }
  const verdict = judge(asked.request, policy)
  if (!verdict.allowed) throw await deny(governing, verdict)
  const approval = verdict.approval.length > 0 ? await askInTurn(governing, verdict) : undefined
  if (approval && approval.answer !== 'approved') {
    throw await deny(governing, withDenial(verdict, approvalDenial(approval)), approval)
  }
  const leave = await enter(governing, verdict, approval)
  try {
    const isSame = (await services.policy()) === policy
    if (isSame) return await begin(governing, { verdict, approval, leave })
  } catch (error) {
    leave()
    throw error
  }
  // It was changed while people or a line were waited for: what it says now counts.
  leave()
  return await govern(services, call, asked)
}

async function begin(
  { services, base, policy }: Governing,
  {
    verdict,
    approval,
    leave,
  }: { verdict: PolicyVerdict; approval: AuditedApproval | undefined; leave: () => void },
): Promise<Permit> {
  const log = await services.audit()
  const decision = describeDecision(verdict, policy, approval)
  const begun = await log.append({ ...base, event: 'begun', decision }, { durable: false })
  let isOver = false
  let hasLeft = false
  const leaveOnce = () => {
    if (!hasLeft) leave()
    hasLeft = true
  }
  return {
    verdict,
    decision,
    begun,
    leave: leaveOnce,
    async end(result, digests = {}) {
      if (isOver) return
      isOver = true
      // Others need not wait until the disk has it.
      leaveOnce()
      const all = { ...base.digests, ...digests }
      const entry = { ...base, event: 'ended', decision, digests: all, result } as const
      await log.append(entry, { durable: true })
    },
  }
}

/** Only so many are asked about at once. */
async function askInTurn(governing: Governing, verdict: PolicyVerdict): Promise<AuditedApproval> {
  const leave = await takePlace(governing, governing.services.approvals, { verdict })
  try {
    return await approve(governing, verdict)
  } finally {
    leave()
  }
}

async function approve(
  { services, call, asked, policy, base }: Governing,
  verdict: PolicyVerdict,
): Promise<AuditedApproval> {
  const { askApproval } = await import('../policy/approval/ask-approval.ts')
  const { kind, who, request, digests, run_id } = base
  return await askApproval({
    hook: policy.approval,
    question: {
      run_id,
      rules: verdict.approval,
      kind,
      who,
      request,
      digests,
      given: contentsOf(asked, true),
    },
    env: call.env,
    excluded: repositoryFolders(services.config),
    signal: call.signal,
  })
}

/** Waits for a place to run in; nobody who is denied or not yet agreed to takes one. */
async function enter(
  governing: Governing,
  verdict: PolicyVerdict,
  approval: AuditedApproval | undefined,
): Promise<Leave> {
  const { services, call } = governing
  call.onStep?.('wait')
  const leave = await takePlace(governing, call.gate ?? services.gate, { verdict, approval })
  call.onTurn?.()
  return leave
}

/** Throws `run/busy` where too many wait, which is written down as well. */
async function takePlace(
  governing: Governing,
  gate: RunGate,
  { verdict, approval }: { verdict: PolicyVerdict; approval?: AuditedApproval | undefined },
): Promise<Leave> {
  try {
    return await gate.enter(governing.call.signal ?? new AbortController().signal)
  } catch (error) {
    if (toSkillsError(error).code !== 'run/busy') throw error
    const sentence = toSkillsError(error).message
    const denial = { code: 'concurrency-limit-reached', layer: 'concurrency', sentence } as const
    await deny(governing, withDenial(verdict, denial), approval)
    throw error
  }
}

function withDenial(verdict: PolicyVerdict, denial: Denial): PolicyVerdict {
  const auditHash = hashOf({ of: verdict.auditHash, code: denial.code })
  return { ...verdict, allowed: false, denials: [denial], auditHash }
}

/** Writes a denial down; what to throw. */
async function deny(
  { services, base, policy }: Governing,
  verdict: PolicyVerdict,
  approval?: AuditedApproval,
): Promise<SkillsError> {
  const decision = describeDecision(verdict, policy, approval)
  const log = await services.audit()
  await log.append({ ...base, event: 'denied', decision }, { durable: true })
  return toError(decision)
}

function toError(decision: AuditedDecision): SkillsError {
  const { code, layer, reasons, rules, audit_hash } = decision
  const error = new SkillsError('policy/denied', reasons.join('; '), {
    hint: 'Type "skills policy explain" to see what is allowed',
    data: { code, layer, reasons, rules, audit_hash },
  })
  rememberDecision(error, decision)
  return error
}

const APPROVAL_CODES = {
  refused: 'approval-refused',
  'timed-out': 'approval-timed-out',
  failed: 'approval-failed',
} as const

function approvalDenial({ answer, reason, by, rules }: AuditedApproval): Denial {
  const code = APPROVAL_CODES[answer as keyof typeof APPROVAL_CODES]
  const names = rules.map((name) => `"${name}"`).join(', ')
  const what = {
    'approval-refused': `The approval that ${names} asks for was refused${by ? ` by ${by}` : ''}`,
    'approval-timed-out': `The approval that ${names} asks for did not come`,
    'approval-failed': `The approval that ${names} asks for could not be had`,
  }[code]
  return { code, layer: 'approval', sentence: reason ? `${what}: ${reason}` : what, by: rules[0] }
}
