import type {
  Backend,
  IsolatedResource,
  LimitedResource,
} from '../../../../src/core/sandbox/backend.ts'
import type { RunEvent } from '../../../../src/core/runs/run-call.ts'
import type { ActionRun } from '../../runs/run-action.ts'
import type { runPython } from '../../runs/run-python.ts'

export type Result = Awaited<ReturnType<typeof runPython>>

/** Context of a case. */
export interface CaseContext {
  backend: Backend
  events: readonly RunEvent[]
  /** Path of the workspace copy, if one was requested. */
  kept: string
}

/** Guarantee that a case requires from a backend. */
export type CaseRequirement =
  | { isolates: IsolatedResource }
  | { limits: LimitedResource; over: 'run' }

/** One action of a run, with the outcome on every backend that guarantees it. */
export interface ConformanceCase {
  name: string
  /** Undefined for cases that hold on every backend. */
  needs?: CaseRequirement
  /** Body of `main(args)`. */
  code: string
  options?: Omit<ActionRun, 'call'>
  secrets?: Readonly<Record<string, string>>
  /** Copies the workspace after the run. */
  keeps?: true
  /** Content of a blob that the run receives as `args["blob"]`. */
  blob?: string
  /** Expected fields of the result. */
  gives?: object
  /** Expected fields on a backend without the guarantee; by default, its output is true. */
  without?: object
  check?(result: Result, world: CaseContext): void | Promise<void>
  /** Code of the expected error. */
  throws?: string
  /** Output that triggers the cancellation. */
  cancelAt?: string
}
