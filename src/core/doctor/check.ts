import type { Config } from '../config/config.ts'
import type { Sandboxes } from '../sandbox/sandboxes.ts'
import type { Repository } from '../skills/repository/repository.ts'

/** What the checks look at. */
export interface Machine {
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  config: Config
  /** The files that the configuration came from, and what is wrong with it. */
  configuration: {
    files: readonly string[]
    problems: readonly { message: string; hint: string | undefined }[]
  }
  repository: Repository
  sandboxes: Sandboxes
  /** The package's own folder. */
  packageRoot: string
}

/** What one check found. */
export interface CheckResult {
  ok: boolean
  /** What was found, for people. */
  detail: string
  /** What to type where it is not good. */
  fix?: string | undefined
}

/** One thing that the product needs of the machine, or uses where it is there. */
export interface DoctorCheck {
  id: string
  title: string
  /** False for what only some uses need; it does not make the whole fail. */
  needed: boolean
  run(machine: Machine): Promise<CheckResult>
}
