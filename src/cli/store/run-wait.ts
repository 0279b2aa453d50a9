import type { CallerRun } from '../../core/methods/run-view.ts'
import type { ExecuteResult } from '../../core/programs/execute-result.ts'
import type { RunResult } from '../../core/runs/result.ts'
import { SkillsError } from '../../errors.ts'
import { parseDurationOption } from '../../util/quantity.ts'
import { toPrintable } from '../../util/printable.ts'
import type { RuntimeHandle } from '../../runtime-handle/handle.ts'
import { openHandle } from '../access/open-handle.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { readWholeOutput } from '../run/whole-output.ts'
import { showExecution } from '../ui/execution.ts'
import { showRunResult } from '../ui/run-result.ts'
import { formatRunDuration } from './run-text.ts'

/** Time that one call waits, so that Ctrl-C and proxies are served. */
const WAIT_MS = 20_000

/** `skills runs wait`; returns 0 if the run completed. */
export async function waitForRunEnd(context: Context, call: CommandLine): Promise<number> {
  const timeoutMs = readWaitTimeout(call)
  const handle = await openHandle(context, call)
  const id = await handle.completeId('run', call.args[0] ?? '')
  const run = await pollUntilEnd(context, { handle, id, timeoutMs })
  return await showRunEnd(context, handle, run)
}

/** `skills runs cancel`; returns 0 if the run is over. */
export async function cancelRunById(context: Context, call: CommandLine): Promise<number> {
  const handle = await openHandle(context, call)
  const id = await handle.completeId('run', call.args[0] ?? '')
  const run = await handle.call('runs', { action: 'cancel', run_id: id })
  if (context.global.json) context.document('skills.run-state/v1', { ...run })
  else context.print(`${run.run_id} ${run.status}`)
  if (run.status !== 'running') return 0
  context.note('The run has not ended yet: its end was requested')
  return 1
}

async function pollUntilEnd(
  { signal }: Context,
  { handle, id, timeoutMs }: { handle: RuntimeHandle; id: string; timeoutMs: number },
): Promise<CallerRun> {
  const until = performance.now() + timeoutMs
  for (;;) {
    const waitMs = Math.max(0, Math.ceil(Math.min(WAIT_MS, until - performance.now())))
    const params = { action: 'get', run_id: id, wait_ms: waitMs } as const
    const run = await handle.call('runs', params, { signal })
    if (run.status !== 'running') return run
    if (signal.aborted) throw new SkillsError('run/cancelled', `The run "${id}" continues`)
    if (performance.now() < until) continue
    throw new SkillsError('run/busy', `The run "${id}" is still running`, {
      hint: `Wait longer, or type "skills runs cancel ${id}"`,
      data: { run_id: id },
    })
  }
}

/** Shows the result as the command would that started the run. */
async function showRunEnd(
  context: Context,
  handle: RuntimeHandle,
  run: CallerRun,
): Promise<number> {
  if (context.global.json) context.document('skills.run-state/v1', { ...run })
  else await showResult(context, handle, run)
  return run.status === 'completed' ? 0 : 1
}

async function showResult(
  context: Context,
  { blobs }: RuntimeHandle,
  run: CallerRun,
): Promise<void> {
  const { kind, status, result, error } = run
  if (!result) {
    const reason = error ? `: ${error.message}` : ''
    context.stderr.write(`${toPrintable(`${status}${reason}`)}\n`)
  } else if (kind === 'execute') {
    showExecution(context, result as unknown as ExecuteResult, { isShown: false })
  } else {
    const ended = result as unknown as RunResult
    const locations = { cwd: context.cwd, folders: new Map<string, string>(), codeName: undefined }
    const output = await readWholeOutput(blobs, ended)
    const details = { output, blobs: [], saved: undefined, locations }
    await showRunResult(context, ended, details)
  }
  if (run.duration_ms !== null) context.note(`${status} after ${formatRunDuration(run)}`)
}

function readWaitTimeout(call: CommandLine): number {
  const text = getTextOption(call, 'timeout')
  if (text === undefined) return Infinity
  const value = parseDurationOption(text)
  if (value !== undefined) return value
  throw new SkillsError('usage/invalid', `Expected a duration for --timeout, got "${text}"`, {
    hint: 'Write it as 30 (seconds), 30s, 500ms or 5m',
  })
}
