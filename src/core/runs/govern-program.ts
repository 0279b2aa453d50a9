import type { AuditedResult } from '../audit/audit-record.ts'
import type { Services } from '../services.ts'
import { handedNames, whoAsks } from './describe-decision.ts'
import { auditRefusal } from './govern-run.ts'
import type { GovernedCall, Permit } from './permit.ts'
import type { DecidedProgram } from './plan-program.ts'
import type { ProgramOutcome, ProgramPlan } from './program-plan.ts'
import type { Redactor } from './redaction/redact.ts'
import type { RunCall } from './run-call.ts'

interface DecidedCall {
  id: string
  call: RunCall
  decided: DecidedProgram
  redactor: Redactor
}

interface AskedProgram extends Omit<DecidedCall, 'decided'> {
  plan: ProgramPlan
  network: readonly string[]
  /** Variables that are handed through. */
  names: readonly string[]
}

/** A permit for a program; whoever has one already ends it as well. */
export async function permitProgram(services: Services, decided: DecidedCall): Promise<Permit> {
  const {
    call,
    decided: { plan, decision },
  } = decided
  if (call.permit) return { ...call.permit, end: async () => {} }
  const { govern } = await import('./govern.ts')
  const names = services.config.run.environment
  const asked = { ...decided, plan, network: decision.network, names }
  return await govern(services, call, describeProgramCall(asked))
}

/** A program as policy knows it. */
function describeProgramCall({
  id,
  call,
  plan,
  redactor,
  network,
  names,
}: AskedProgram): GovernedCall {
  const { kind, stdin, code, repo, language, skills, limits } = plan
  return {
    runId: id,
    request: {
      kind,
      ...whoAsks(call),
      skills: skills.map(({ manifest: { name, version } }) => `${name}@${version}`),
      // What a session is told is a command line, whatever that starts.
      language: language ?? (kind === 'workspace' ? 'shell' : undefined),
      repository: repo,
      timeoutMs: limits?.wallMs,
      network,
      environment: handedNames(names, call),
    },
    given: {
      args: JSON.stringify(redactor.value(plan.asked)),
      ...(code && { code: redactor.text(code.text) }),
      ...(stdin instanceof Uint8Array && { stdin }),
    },
  }
}

/** Writes down a program that was refused before the policy was asked. */
export async function auditProgramRefusal(
  services: Services,
  run: Omit<DecidedCall, 'decided'> & { plan: ProgramPlan },
  reasons: readonly string[],
): Promise<void> {
  const names = services.config.run.environment
  const asked = describeProgramCall({ ...run, network: run.plan.network ?? [], names })
  await auditRefusal(services, run.call, { asked, reasons })
}

/** Of what it printed. */
export function digestsOfProgram(outcome: ProgramOutcome | undefined): Record<string, string> {
  return { ...outcome?.digests }
}

/** How a program ended, as the audit log has it. */
export function programResult(outcome: ProgramOutcome): AuditedResult {
  const { isolation, error } = outcome
  return {
    status: outcome.status,
    exit_code: outcome.exitCode,
    signal: outcome.signal,
    duration_ms: outcome.durationMs,
    stdout_bytes: outcome.stdoutBytes,
    stderr_bytes: outcome.stderrBytes,
    isolation: isolation ? `${isolation.backend} ${isolation.tier}` : null,
    ...(error && { error: error.type }),
  }
}
