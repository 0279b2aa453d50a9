import type {
  Backend,
  IsolatedResource,
  LimitedResource,
} from '../../../../src/core/sandbox/backend.ts'
import type { RunEvent } from '../../../../src/core/runs/run-call.ts'
import type { ActionRun } from '../../runs/run-action.ts'
import type { runPython } from '../../runs/run-python.ts'

export type Result = Awaited<ReturnType<typeof runPython>>

/** What stands around a case. */
export interface World {
  backend: Backend
  events: readonly RunEvent[]
  /** Where the workspace was copied to, if it was. */
  kept: string
}

/** What a backend has to promise for a case to hold. */
export type Need = { isolates: IsolatedResource } | { limits: LimitedResource; over: 'run' }

/** One thing that a run does, and what comes of it on every backend that promises it. */
export interface Case {
  name: string
  /** Nothing: every backend holds it. */
  needs?: Need
  /** The body of `main(args)`. */
  code: string
  options?: Omit<ActionRun, 'call'>
  secrets?: Readonly<Record<string, string>>
  /** The workspace is copied in the end. */
  keeps?: true
  /** The blob that the run gets as `args["blob"]`. */
  blob?: string
  /** Fields of the result. */
  gives?: object
  /** The same where a backend does not promise what it needs; otherwise the output is true. */
  without?: object
  check?(result: Result, world: World): void | Promise<void>
  /** The code of the error that is thrown instead. */
  throws?: string
  /** Cancelled as soon as it prints this. */
  cancelAt?: string
}
