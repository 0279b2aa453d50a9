import type { Config } from '../config/config.ts'
import type { Sandboxes } from '../sandbox/sandboxes.ts'
import type { Repository } from '../skills/repository/repository.ts'

/** Input of the checks. */
export interface Machine {
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  config: Config
  /** Configuration files and their problems. */
  configuration: {
    files: readonly string[]
    problems: readonly { message: string; hint: string | undefined }[]
  }
  repository: Repository
  sandboxes: Sandboxes
  /** Folder of the installed package. */
  packageRoot: string
}

export interface CheckResult {
  /** Null if it was not tried because of another problem, or is not needed. */
  ok: boolean | null
  /** Finding, for people. */
  detail: string
  /** Command or change that fixes it. */
  fix?: string | undefined
}

/** A requirement of the machine, or an optional feature. */
export interface DoctorCheck {
  id: string
  title: string
  /** False for optional features, which do not fail the whole check. */
  needed: boolean
  run(machine: Machine): Promise<CheckResult>
}
