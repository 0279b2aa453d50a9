import type { Runtime } from '../core/runtime.ts'
import type { RequestLog } from './telemetry/request-log.ts'

/** Removes leftovers of a killed server, in parallel with the first calls. */
export async function sweepAtStart(runtime: Runtime, log: RequestLog): Promise<void> {
  const steps: Record<string, () => Promise<unknown>> = {
    sandboxes: async () => {
      const { sweepStagingFolders } = await import('../core/sandbox/rootfs/stage-files.ts')
      const { sweepControlGroups } = await import('../core/sandbox/cgroups/cgroup.ts')
      sweepStagingFolders()
      sweepControlGroups()
    },
    skills: async () => await (await runtime.uploads()).sweep(),
    blobs: async () => await (await runtime.blobs()).collect(),
    runs: async () => await (await runtime.runs()).expire(),
    outputs: async () => await (await runtime.outputs()).sweep(),
    workspaces: async () => await (await runtime.workspaces()).sweep(),
    sessions: async () => await (await runtime.sessions()).sweep(),
  }
  for (const [store, sweep] of Object.entries(steps)) {
    try {
      await sweep()
    } catch (error) {
      log.write('warn', 'Leftovers could not be removed', { what: store, reason: String(error) })
    }
  }
}
