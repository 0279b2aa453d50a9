import { join } from 'node:path'
import { loadConfig } from '../../src/core/config/load-config.ts'
import { executeRequest } from '../../src/core/programs/execute.ts'
import type { ExecuteParams } from '../../src/core/methods/runtime-execute/definition.ts'
import type { ExecuteResult } from '../../src/core/programs/execute-result.ts'
import type { RunCall } from '../../src/core/runs/run-call.ts'
import { createRuntime, type Runtime } from '../../src/core/runtime.ts'
import { createFolder, writeTree } from './skills.ts'

/** A runtime of a test's own that executes. */
export interface Executor {
  runtime: Runtime
  home: string
  /** In mode summary unless the parameters say otherwise. */
  run(params: ExecuteParams, call?: Partial<RunCall>): Promise<ExecuteResult>
}

/** Settings as in skills.config.toml, and a policy if any. */
export async function createExecutor(
  settings = '',
  { policy, env }: { policy?: string; env?: Record<string, string> } = {},
): Promise<Executor> {
  const home = createFolder({ 'project/skills.config.toml': settings })
  if (policy !== undefined) writeTree(join(home, 'project'), { 'policy.toml': policy })
  const own = { PATH: process.env['PATH'], HOME: home, ...env }
  const cwd = join(home, 'project')
  const { config } = await loadConfig({ cwd, env: own })
  const runtime = createRuntime({ config })
  return {
    runtime,
    home,
    run: async (params, call) =>
      await executeRequest(
        runtime,
        { outputMode: 'summary', ...params },
        { cwd, env: own, ...call },
      ),
  }
}
