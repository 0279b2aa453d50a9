import type {
  AuditedApproval,
  AuditedDecision,
  AuditedRequest,
  AuditEntry,
} from '../audit/audit-record.ts'
import type { Policy } from '../policy/policy.ts'
import type { PolicyRequest } from '../policy/policy-request.ts'
import type { PolicyVerdict } from '../policy/verdict.ts'
import { digestOf, userOfProcess } from './describe-run.ts'
import type { GovernedCall } from './permit.ts'
import type { RunCall } from './run-call.ts'

/** What is kept of one thing that was given. */
const MAX_CONTENTS = 64 * 1024
/** Of a path, a name or a reason. */
const MOST_WORDS = 1000

/** A decision as the audit log and the run's record have it. */
export function describeDecision(
  verdict: PolicyVerdict,
  policy: Policy,
  approval: AuditedApproval | undefined,
): AuditedDecision {
  const { allowed, denials, rules, limits, auditHash } = verdict
  const [first] = denials
  return {
    allowed,
    ...(first && { code: first.code, layer: first.layer }),
    reasons: denials.map(({ sentence }) => cut(sentence)),
    rules,
    ...(approval && { approval }),
    limits: { timeout_ms: limits.timeoutMs, output_bytes: limits.outputBytes },
    policies: policy.files.map(({ digest }) => digest),
    audit_hash: auditHash,
  }
}

/** A call as the audit log has it, whatever was decided. */
export function describeCall(
  call: RunCall,
  { runId, request, given }: GovernedCall,
  contents: Readonly<Record<string, string>>,
): Omit<AuditEntry, 'event' | 'decision'> {
  const { traceparent } = call
  return {
    run_id: runId,
    kind: request.kind,
    who: {
      door: request.door,
      caller: request.caller,
      ...(traceparent !== undefined && { traceparent }),
    },
    request: describeRequest(request),
    digests: Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, digestOf(value)]),
    ),
    ...(Object.keys(contents).length > 0 && { contents }),
  }
}

/** What was asked for, as the audit log has it. */
export function describeRequest(request: PolicyRequest): AuditedRequest {
  const { skills, language, executable, repository, cwd, network, environment } = request
  const program = executable && ('path' in executable ? executable.path : executable.asked)
  return {
    skills,
    ...(language !== undefined && { language }),
    ...(program !== undefined && { executable: cut(program) }),
    ...(repository !== undefined && { repository: cut(repository) }),
    ...(cwd && { cwd: cut('relative' in cwd ? cwd.relative : cwd.asked) }),
    timeout_ms: request.timeoutMs ?? null,
    network,
    environment,
  }
}

/** What a caller chose freely is not kept at any length. */
function cut(text: string): string {
  return text.length > MOST_WORDS ? `${text.slice(0, MOST_WORDS)}…` : text
}

/** What was given, as text, where it is wanted; nothing otherwise. */
export function contentsOf({ given }: GovernedCall, isWanted: boolean): Record<string, string> {
  if (!isWanted) return {}
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const bytes = Buffer.from(value as Uint8Array)
      const text = bytes.subarray(0, MAX_CONTENTS).toString('utf8')
      const more = bytes.length - MAX_CONTENTS
      return [name, more > 0 ? `${text}… (+${more} bytes)` : text]
    }),
  )
}

/** Who asks, in the words of policy. */
export function whoAsks(call: RunCall): Pick<PolicyRequest, 'door' | 'caller'> {
  return { door: call.door ?? 'library', caller: call.caller ?? userOfProcess() }
}

/** Variables that a run is handed through, by the operator's configuration; policy may forbid them. */
export function handedNames(names: readonly string[], { env }: Pick<RunCall, 'env'>): string[] {
  return names.filter((name) => env[name] !== undefined)
}
