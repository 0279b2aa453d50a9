import type { PlainObject } from '../skills/manifest/manifest.ts'
import type { RunRecord } from './history/run-record.ts'
import type { Limits } from '../sandbox/backend.ts'
import { capArguments } from './cap-arguments.ts'
import { emptyRecord } from './describe-run.ts'
import type { ProgramPlan } from './program-plan.ts'
import type { Redactor } from './redaction/redact.ts'
import type { RunCall } from './run-call.ts'

/** What is known of a program when it begins. */
export interface BegunProgram {
  id: string
  startedAt: Date
  plan: ProgramPlan
  call: RunCall
  /** Undefined where it was refused. */
  limits: Limits | undefined
  policy: RunRecord['policy']
  redactor: Redactor
}

/** The record of a program that begins; its end fills the rest in. */
export function describeProgram(begun: BegunProgram): RunRecord {
  const { plan, limits, policy, redactor } = begun
  const { argv, cwd } = plan.program
  return {
    ...emptyRecord(begun),
    kind: plan.kind,
    request: {
      program: { executable: redactor.text(argv[0] ?? ''), cwd: redactor.text(cwd) },
      ...capArguments(redactor.value(plan.asked) as PlainObject),
      input_blobs: [...new Set(plan.inputBlobs)],
      timeout_ms: plan.limits?.wallMs ?? null,
    },
    skills: plan.skills.map(({ manifest: { name, version } }) => ({ name, version, digest: null })),
    policy,
    limits: limits ?? null,
  }
}
