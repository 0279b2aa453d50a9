import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { ExecuteParams } from '../../../../src/core/methods/runtime-execute/definition.ts'
import type { RunCall } from '../../../../src/core/runs/run-call.ts'
import { createFolder } from '../../../helpers/skills.ts'
import { findRunners, loadBuiltModulesInRunners } from '../../../helpers/runners.ts'
import { createRuntimeIn } from '../run-python.ts'

/** Time for a run to end, however busy the machine is. */
export const LONG_MS = 50_000

/** A runtime whose detached runs load the sources. */
export async function createDetachingRuntime(settings: Record<string, unknown> = {}) {
  loadBuiltModulesInRunners()
  const data = createFolder()
  onTestFinished(async () => {
    for (const pid of findRunners(data)) process.kill(pid, 'SIGTERM')
    while (findRunners(data).length > 0) await sleep(20)
  })
  const runtime = await createRuntimeIn(data, settings)
  const call: RunCall = { cwd: data, env: { PATH: process.env['PATH'], HOME: data } }
  const detach = async (
    code: string,
    more: Partial<ExecuteParams> = {},
    io: Partial<RunCall> = {},
  ) => {
    const params = { runtime: 'shell', code, ...more, detach: true } as const
    const { runId = '' } = await runtime.execute(params, { ...call, ...io })
    return runId
  }
  const waitForEnd = async (id: string) =>
    await runtime.getRun({ run_id: id, wait_ms: LONG_MS }, call)
  const readLogs = async (id: string) => {
    let text = ''
    for (let offset = 0; ;) {
      const part = await runtime.readRunLogs({ run_id: id, offset }, call)
      text += part.logs
      if (part.next_offset === offset) return text
      offset = part.next_offset
    }
  }
  return { data, runtime, call, detach, waitForEnd, readLogs }
}
