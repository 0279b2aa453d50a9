import { invalidParamError, refusedParam, toSkillsError } from '../../../errors.ts'
import { EXECUTE_BOUNDS } from '../../programs/execute-bounds.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import type { Plain, PlainObject } from '../../skills/manifest/manifest.ts'
import { DEFAULT_TIMEOUT_MS } from './bounds.ts'
import type { WorkflowParams, WorkflowResult } from './definition.ts'
import { listReferences, MissingFieldError, resolveReferences } from './references.ts'

type WorkflowStep = WorkflowParams['steps'][number]

/** A step that was called or skipped. */
type EndedStep = WorkflowResult['steps'][number]

const [LEAST_TIMEOUT_MS] = EXECUTE_BOUNDS.timeoutMs

/**
 * `runtime.workflow`: calls methods one after the other. Each step passes the policy and has its own
 * record, as if it had been called alone.
 */
export async function runWorkflow(
  services: Services,
  { steps, onError = 'stop', timeoutMs = DEFAULT_TIMEOUT_MS }: WorkflowParams,
  call: RunCall,
): Promise<WorkflowResult> {
  checkReferences(steps)
  const startedAt = performance.now()
  const ended: EndedStep[] = []
  let isOver = false
  for (const step of steps) {
    const remainingMs = Math.floor(timeoutMs - (performance.now() - startedAt))
    isOver ||= remainingMs < LEAST_TIMEOUT_MS
    const reason = isOver
      ? 'The time of the workflow was over'
      : findSkipReason(step, { ended, onError, wasCancelled: call.signal?.aborted === true })
    ended.push(
      reason === undefined
        ? await callStep(services, step, { ended, remainingMs, call })
        : { method: step.method, status: 'skipped', error: reason },
    )
  }
  const durationMs = Math.round(performance.now() - startedAt)
  return { status: resolveStatus(ended, { isOver, call }), steps: ended, durationMs }
}

function resolveStatus(
  ended: readonly EndedStep[],
  { isOver, call }: { isOver: boolean; call: RunCall },
): WorkflowResult['status'] {
  if (ended.every(({ status }) => status === 'success')) return 'success'
  if (call.signal?.aborted) return 'cancelled'
  return isOver ? 'timeout' : 'failure'
}

/** A step may refer to earlier steps only. Checked before any step runs. */
function checkReferences(steps: readonly WorkflowStep[]): void {
  for (const [position, { params }] of steps.entries()) {
    const later = listReferences(params as Plain).find((each) => each >= position)
    if (later === undefined) continue
    const reason = `step ${position} refers to step ${later}, expected an earlier step`
    throw invalidParamError('steps', reason)
  }
}

function findSkipReason(
  { params }: WorkflowStep,
  state: { ended: readonly EndedStep[]; onError: string; wasCancelled: boolean },
): string | undefined {
  const { ended, onError, wasCancelled } = state
  if (wasCancelled) return 'The workflow was cancelled'
  const failed = ended.findIndex(({ status }) => status === 'failure')
  if (failed === -1 || onError === 'continueAll') return undefined
  if (onError === 'stop') return `Step ${failed} failed`
  const used = listReferences(params as Plain).find((each) => ended[each]?.status !== 'success')
  return used === undefined ? undefined : `It uses step ${used}, which did not succeed`
}

async function callStep(
  services: Services,
  { method, params }: WorkflowStep,
  { ended, remainingMs, call }: { ended: readonly EndedStep[]; remainingMs: number; call: RunCall },
): Promise<EndedStep> {
  try {
    const results = ended.map(({ result }) => result)
    const resolved = resolveReferences(params, results)
    const result =
      method === 'runtime.execute'
        ? await executeStep(services, resolved, { remainingMs, call })
        : await queryStep(services, resolved, call)
    const { status = 'success' } = result as { status?: unknown }
    return { method, status: status === 'success' ? 'success' : 'failure', result }
  } catch (error) {
    if (error instanceof MissingFieldError) {
      return { method, status: 'skipped', error: error.message }
    }
    const { code, message, hint } = toSkillsError(error)
    const sentence = hint === undefined ? message : `${message}. ${hint}`
    return { method, status: 'failure', error: sentence, code }
  }
}

async function executeStep(
  services: Services,
  params: PlainObject,
  { remainingMs, call }: { remainingMs: number; call: RunCall },
): Promise<PlainObject> {
  const { runtimeExecuteMethod } = await import('../runtime-execute/definition.ts')
  const { executeRequest } = await import('../../programs/execute.ts')
  const { parseParams } = await import('./parse-params.ts')
  const parsed = parseParams(runtimeExecuteMethod, params)
  if (parsed.detach === true) {
    throw refusedParam(
      'detach',
      'A step of a workflow cannot be detached: later steps use its result',
    )
  }
  if (parsed.session !== undefined) {
    throw refusedParam(
      'session',
      'A step of a workflow sees no files of a session: call runtime.execute itself',
    )
  }
  const timeoutMs = Math.min(parsed.timeoutMs ?? services.config.run.timeoutMs, remainingMs)
  // Each step is a run of its own: an id of the caller could name only one.
  const own = { ...call, runId: undefined, times: undefined }
  return (await executeRequest(services, { ...parsed, timeoutMs }, { call: own })) as never
}

async function queryStep(
  services: Services,
  params: PlainObject,
  call: RunCall,
): Promise<PlainObject> {
  const { runtimeQueryOutputMethod } = await import('../runtime-query-output/definition.ts')
  const { queryRunOutput } = await import('../runtime-query-output/handler.ts')
  const { parseParams } = await import('./parse-params.ts')
  return (await queryRunOutput(
    services,
    parseParams(runtimeQueryOutputMethod, params),
    call,
  )) as never
}
