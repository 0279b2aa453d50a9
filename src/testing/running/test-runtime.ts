import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../core/config/config.ts'
import type { RunCall } from '../../core/runs/run-call.ts'
import { createRuntime, type Runtime } from '../../core/runtime.ts'
import type { Sandboxes } from '../../core/sandbox/sandboxes.ts'

/** The services of one test run. */
export interface TestRuntime {
  services: Runtime
  /** A temporary folder of this test run. */
  folder: string
  /** Reads the operator's secrets, for a recording only. */
  readSecrets(names: readonly string[], env: RunCall['env']): Promise<ReadonlyMap<string, string>>
  /** Stops its own sandboxes and removes the temporary folder. */
  close(): Promise<void>
}

/**
 * Opens services that run cases as `skills exec` runs skills: the same configuration, policy and
 * audit log. Run records, blobs and workspaces go to a temporary folder, and no run can
 * read a real secret. The sandboxes are its own, unless the caller keeps some.
 */
export function openTestRuntime(config: Config, sandboxes?: Sandboxes): TestRuntime {
  const folder = mkdtempSync(join(tmpdir(), 'skills-test-'))
  const directories = { ...config.directories, data: join(folder, 'data') }
  const real = createRuntime({ config, noticesEdits: false })
  const services = createRuntime({
    config: { ...config, directories },
    noticesEdits: false,
    sandboxes,
    stores: {
      audit: async () => await real.audit(),
      auditSource: async () => await real.auditSource(),
      grants: async () => await real.grants(),
      secrets: async () => ({ values: async () => new Map() }),
    },
  })
  return {
    services,
    folder,
    readSecrets: async (names, env) => await (await real.secrets()).values(names, env),
    async close() {
      if (!sandboxes) await services.sandboxes.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
