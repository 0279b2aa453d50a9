import { join } from 'node:path'
import { loadConfig } from '../../src/core/config/load-config.ts'
import { executeRequest } from '../../src/core/programs/execute.ts'
import type { ExecuteParams } from '../../src/core/methods/runtime-execute/definition.ts'
import type { ExecuteResult } from '../../src/core/programs/execute-result.ts'
import type { RunCall } from '../../src/core/runs/run-call.ts'
import { createRuntime, type Runtime } from '../../src/core/runtime.ts'
import { createFolder, writeTree } from './skills.ts'
import { trustProject } from './trust-project.ts'

/** A runtime that executes programs, for one test. */
export interface Executor {
  runtime: Runtime
  home: string
  /** Uses mode summary by default. */
  run(params: ExecuteParams, call?: Partial<RunCall>): Promise<ExecuteResult>
}

/** Settings in the format of skills.config.toml, and an optional policy. */
export async function createExecutor(
  settings = '',
  { policy, env }: { policy?: string; env?: Record<string, string> } = {},
): Promise<Executor> {
  const home = createFolder({ 'project/skills.config.toml': settings })
  if (policy !== undefined) writeTree(join(home, 'project'), { 'policy.toml': policy })
  const own = { PATH: process.env['PATH'], HOME: home, ...env }
  const cwd = join(home, 'project')
  await trustProject(cwd, own)
  const { config } = await loadConfig({ cwd, env: own })
  const runtime = createRuntime({ config })
  return {
    runtime,
    home,
    run: async (params, call) =>
      await executeRequest(
        runtime,
        { outputMode: 'summary', ...params },
        { call: { cwd, env: own, ...call } },
      ),
  }
}
