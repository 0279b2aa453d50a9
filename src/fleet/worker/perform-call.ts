import { toDetachedError } from '../../core/runs/detached/detached-error.ts'
import { openOperatorRedactor } from '../../core/runs/redaction/operator-redactor.ts'
import type { RunCall } from '../../core/runs/run-call.ts'
import { callMethod, type Method } from '../../core/methods/method.ts'
import type { Runtime } from '../../core/runtime.ts'
import { SkillsError, toSkillsError } from '../../errors.ts'
import { MAX_MESSAGE_BYTES, type CallAnswer, type StartMessage } from '../messages/call-messages.ts'
import type { Objects } from '../objects/objects.ts'
import type { AcceptedCall } from './accepted-call.ts'

export interface PerformingServices {
  runtime: Runtime
  methods: ReadonlyMap<string, Method>
  objects: Objects
  /** Environment in which programs are found, and base of relative paths in settings. */
  env: RunCall['env']
  cwd: string
  allowNetwork: boolean
}

/** Performs an accepted call as a server does for its own callers. Never throws. */
export async function performCall(
  services: PerformingServices,
  message: StartMessage,
  accepted: AcceptedCall,
): Promise<CallAnswer> {
  const { runtime, methods, objects } = services
  try {
    const method = methods.get(message.method)
    if (!method) throw unknownMethodError(message.method)
    const params = message.params_ref
      ? (JSON.parse((await objects.readAll(message.params_ref)).toString()) as unknown)
      : message.params
    const call = createCall(services, message, accepted)
    const result = await callMethod(runtime, method, { params, call })
    return await shrinkAnswer(objects, { result })
  } catch (thrown) {
    const redactor = await openOperatorRedactor(runtime)
    return { error: toDetachedError(toSkillsError(thrown), redactor) }
  }
}

function createCall(
  { env, cwd, allowNetwork }: PerformingServices,
  { call, sent }: StartMessage,
  accepted: AcceptedCall,
): RunCall {
  const readAt = performance.now()
  return {
    ...sent,
    allowNetwork: allowNetwork && sent.allowNetwork === true,
    env,
    cwd,
    runId: call,
    signal: accepted.cancelling.signal,
    times: { readAt },
    onEvent: (event) => accepted.tell({ k: 'event', event }),
    onPhase: (name) => accepted.tell({ k: 'phase', name }),
    onAdmitted: () => accepted.tell({ k: 'admitted' }),
    onCpuTime: (ms) => accepted.tell({ k: 'cpu', ms }),
    onIsolated: (isolation) => accepted.tell({ k: 'isolated', isolation }),
    onRecorded: (run) => accepted.tell({ k: 'recorded', run }),
  }
}

/** Stores an answer that is too large for a message as an object. */
async function shrinkAnswer(objects: Objects, answer: CallAnswer): Promise<CallAnswer> {
  const text = JSON.stringify(answer)
  if (Buffer.byteLength(text) <= MAX_MESSAGE_BYTES) return answer
  return { ref: await objects.write(Buffer.from(text)) }
}

function unknownMethodError(name: string): SkillsError {
  return new SkillsError('fleet/no-worker', `The worker does not know the method "${name}"`, {
    hint: 'Update the workers before the fronts',
  })
}
