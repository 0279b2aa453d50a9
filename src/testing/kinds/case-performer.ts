import type { RunCall } from '../../core/runs/run-call.ts'
import type { Runtime } from '../../core/runtime.ts'
import type { SkillEntry } from '../../core/skills/repository/repository.ts'
import type { CaseRecord } from '../../core/testing/expectations/case-record.ts'
import type { RecordNeed } from '../../core/testing/expectations/expectation.ts'
import type { CaseAction, TestCase } from '../../core/testing/suites/suite.ts'

/** Everything that performs one case. */
export interface CaseContext {
  services: Runtime
  /** The tested skill. */
  entry: SkillEntry
  testCase: TestCase
  /** Parts of the record that the expectations read. */
  needs: ReadonlySet<RecordNeed>
  /** The caller, its environment, and the fake secrets. */
  call: RunCall
  /** A folder of this case on the host, which does not exist yet. */
  folder: string
  coverage?: CaseCoverage | undefined
}

/** Collects the lines that a case executes. */
export interface CaseCoverage {
  /** Python source for the harness. */
  trace: string
  /** Reads the workspace on the host, after the run. */
  readWorkspace(folder: string): void
}

/** Performs an action and records its run. A refusal is a record; only a broken test run throws. */
export type CasePerformer<Action extends CaseAction = CaseAction> = (
  action: Action,
  context: CaseContext,
) => Promise<CaseRecord>
