import type {
  AuditedApproval,
  AuditedDecision,
  AuditedRequest,
  AuditEntry,
} from '../audit/audit-record.ts'
import type { Policy } from '../policy/policy.ts'
import type { PolicyRequest } from '../policy/policy-request.ts'
import type { PolicyVerdict } from '../policy/verdict.ts'
import type { Plain } from '../skills/manifest/manifest.ts'
import { resolvePolicyLanguage, isFunctionJob, type Job } from './job.ts'
import type { Redactor } from './redaction/redact.ts'
import { listPassthroughNames } from './resolve-permissions.ts'
import type { RunCall, RunCaller } from './run-call.ts'
import { processUser } from './process-user.ts'
import { describeInput, renderInputStart, type DescribedInput } from './run-input.ts'

/** Characters of a path, a name or a reason. */
const MAX_TEXT_LENGTH = 1000

/** A run as the policy and the audit log see it. */
export interface RunRequest {
  runId: string
  facts: PolicyRequest
  /**
   * Code, arguments and input, redacted. The audit log stores their digests; approvers see the
   * text.
   */
  inputs: Readonly<Record<string, DescribedInput>>
}

/** A run before policy evaluation. */
export interface RequestedRun {
  id: string
  job: Job
  call: RunCall
  redactor: Redactor
}

/** Describes a run for the policy and the audit log. */
export async function describeRequest(
  run: RequestedRun,
  network: readonly string[],
  passthrough: readonly string[],
): Promise<RunRequest> {
  const facts = describePolicyRequest(run, network, passthrough)
  return { runId: run.id, facts, inputs: await describeInputs(run.job, run.redactor) }
}

/** Describes a run for the policy. `network` lists the destinations that it would get. */
export function describePolicyRequest(
  { job, call }: Pick<RequestedRun, 'job' | 'call'>,
  network: readonly string[],
  passthrough: readonly string[],
): PolicyRequest {
  return {
    kind: job.kind,
    ...resolvePrincipal(call.caller),
    skills: job.skills.map(({ manifest: { name, version } }) => `${name}@${version}`),
    language: resolvePolicyLanguage(job),
    ...(!isFunctionJob(job) && { repository: job.repo }),
    ...('prepare' in job ? job.request : { timeoutMs: getRequestedTimeout(job) }),
    network,
    environment: listPassthroughNames(passthrough, call),
  }
}

/** Returns the timeout that the caller requested. */
export function getRequestedTimeout(job: Job): number | undefined {
  if (isFunctionJob(job)) return job.timeoutMs
  return 'prepare' in job ? job.request.timeoutMs : job.limits?.wallMs
}

async function describeInputs(job: Job, redactor: Redactor): Promise<RunRequest['inputs']> {
  const described: Record<string, DescribedInput> = {}
  for (const [name, content] of Object.entries(listInputs(job))) {
    // The input of a program is its own data, and a request of one has no secrets of skills.
    const isRedacted = !('prepare' in job) && name !== 'stdin'
    described[name] = await describeInput(content, isRedacted ? redactor : undefined)
  }
  return described
}

function listInputs(job: Job): Readonly<Record<string, Plain | Uint8Array>> {
  if ('prepare' in job) return job.inputs
  if (isFunctionJob(job)) {
    const { target, args = {}, files } = job
    return {
      ...(target.kind === 'code' && { code: target.code }),
      args,
      ...(files && { files: files.map(({ path, text }) => ({ path, text })) }),
    }
  }
  const { recordedArgs, code, stdin } = job
  return {
    args: recordedArgs,
    ...(code && { code: code.text }),
    ...(stdin instanceof Uint8Array && { stdin }),
  }
}

/** Formats a decision for the audit log and the run record. */
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
    reasons: denials.map(({ sentence }) => shortenText(sentence)),
    rules,
    ...(approval && { approval }),
    limits: { timeout_ms: limits.timeoutMs, output_bytes: limits.outputBytes },
    policies: policy.files.map(({ digest }) => digest),
    audit_hash: auditHash,
  }
}

/** Formats a call for the audit log, independent of the decision. */
export function describeCall(
  { caller }: RunCall,
  { runId, facts, inputs }: RunRequest,
  contents: Readonly<Record<string, string>>,
): Omit<AuditEntry, 'event' | 'decision'> {
  const { traceparent } = caller ?? {}
  return {
    run_id: runId,
    kind: facts.kind,
    who: {
      door: facts.door,
      caller: facts.caller,
      ...(traceparent !== undefined && { traceparent }),
    },
    request: describeFacts(facts),
    digests: Object.fromEntries(Object.entries(inputs).map(([name, { digest }]) => [name, digest])),
    ...(Object.keys(contents).length > 0 && { contents }),
  }
}

/** Formats the requested resources for the audit log. */
export function describeFacts(request: PolicyRequest): AuditedRequest {
  const { skills, language, executable, repository, cwd, network, environment } = request
  const program = executable && ('path' in executable ? executable.path : executable.asked)
  return {
    skills,
    ...(language !== undefined && { language: shortenText(language) }),
    ...(program !== undefined && { executable: shortenText(program) }),
    ...(repository !== undefined && { repository: shortenText(repository) }),
    ...(cwd && { cwd: shortenText('relative' in cwd ? cwd.relative : cwd.asked) }),
    timeout_ms: request.timeoutMs ?? null,
    network,
    environment,
  }
}

/** Limits the length of text that the caller chose. */
function shortenText(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text
}

/** Returns the inputs as text if `isWanted`, otherwise nothing. */
export function pickContents({ inputs }: RunRequest, isWanted: boolean): Record<string, string> {
  if (!isWanted) return {}
  return Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => [name, renderInputStart(input)]),
  )
}

/** Returns the entry point and the caller for the policy. */
export function resolvePrincipal(caller?: RunCaller): Pick<PolicyRequest, 'door' | 'caller'> {
  return { door: caller?.door ?? 'library', caller: caller?.name ?? processUser() }
}
