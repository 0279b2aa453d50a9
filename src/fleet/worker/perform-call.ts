import { toDetachedError } from '../../core/runs/detached/detached-error.ts'
import { openOperatorRedactor } from '../../core/runs/redaction/operator-redactor.ts'
import type { RunCall, RunGrants } from '../../core/runs/run-call.ts'
import { callMethod, type Method } from '../../core/methods/method.ts'
import type { Runtime } from '../../core/runtime.ts'
import { SkillsError, toSkillsError } from '../../errors.ts'
import { MAX_MESSAGE_BYTES, type CallAnswer, type StartMessage } from '../messages/call-messages.ts'
import { findPlace } from '../messages/method-places.ts'
import type { SecretOpener } from '../access/seal-secrets.ts'
import type { NodeIdentity } from '../node/identity.ts'
import type { Objects } from '../objects/objects.ts'
import type { SessionHomes } from '../workspaces/session-homes.ts'
import type { AcceptedCall } from './accepted-call.ts'

export interface PerformingServices {
  runtime: Runtime
  methods: ReadonlyMap<string, Method>
  objects: Objects
  identity: NodeIdentity
  opener: SecretOpener
  homes: Pick<SessionHomes, 'perform'>
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
  const { runtime, methods, objects, homes } = services
  let secrets: RunGrants['secrets']
  try {
    const method = methods.get(message.method)
    if (!method) throw unknownMethodError(message.method)
    const params = message.params_ref
      ? (JSON.parse((await objects.readAll(message.params_ref)).toString()) as unknown)
      : message.params
    const performed = createCall(services, message, accepted)
    checkPlace(method, { params, call: performed, home: message.home })
    secrets = accepted.secrets ?? openSecrets(services, message, params)
    const call = { ...performed, grants: { ...performed.grants, secrets } }
    const work = async () => await callMethod(runtime, method, { params, call })
    const { home } = message
    const result = home ? await homes.perform(home, { method, call, params }, work) : await work()
    return await shrinkAnswer(objects, { result })
  } catch (thrown) {
    const redactor = await openOperatorRedactor(runtime, secrets?.values())
    return { error: toDetachedError(toSkillsError(thrown), redactor) }
  }
}

interface PlacedStart extends Pick<StartMessage, 'home'> {
  params: unknown
  call: RunCall
}

/**
 * Throws for a call that fronts send to no worker, or to the home of another session: its sender may be a
 * node whose key was stolen.
 */
function checkPlace(method: Method, { params, call, home }: PlacedStart): void {
  const place = findPlace(method, params, call)
  if (place.where === 'front') throw unknownMethodError(method.name)
  const key = place.where === 'home' ? place.key : undefined
  if (key === home?.key) return
  throw new SkillsError('params/invalid', 'The call names the home of another session', {
    hint: 'Update the workers and the fronts to one version',
  })
}

/** Opens the secrets of the front, in memory only. Throws if they are not for this call. */
function openSecrets(
  { opener, identity }: PerformingServices,
  { call, attempt, method, sent, sealed }: StartMessage,
  params: unknown,
): RunGrants['secrets'] {
  if (!sealed) return undefined
  const { name: node, start } = identity
  const secrets = opener.open(sealed, { call, attempt, method, params, sent, node, start })
  if (secrets) return secrets
  throw new SkillsError('fleet/unavailable', 'The secrets of this call are for another worker', {
    hint: 'Repeat the call: the worker was started again meanwhile',
  })
}

function createCall(
  { env, cwd, allowNetwork }: PerformingServices,
  { call, sent }: StartMessage,
  accepted: AcceptedCall,
): RunCall {
  const readAt = performance.now()
  return {
    // Several fronts use a worker, each with tokens of its own.
    caller: { ...sent.caller, sharesRuntime: true },
    grants: { allowNetwork: allowNetwork && sent.allowNetwork },
    env,
    cwd,
    runId: call,
    isDetached: accepted.isDetached,
    signal: accepted.cancelling.signal,
    times: { readAt },
    onEvent: (event) => accepted.tell(event),
  }
}

/** Stores an answer that is too large for a message as an object. */
async function shrinkAnswer(objects: Objects, answer: CallAnswer): Promise<CallAnswer> {
  const text = JSON.stringify(answer)
  if (Buffer.byteLength(text) <= MAX_MESSAGE_BYTES) return answer
  return { ref: await objects.write(Buffer.from(text)) }
}

function unknownMethodError(name: string): SkillsError {
  return new SkillsError('fleet/no-worker', `The worker does not perform the method "${name}"`, {
    hint: 'Update the workers before the fronts',
  })
}
