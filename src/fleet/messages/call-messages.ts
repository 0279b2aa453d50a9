import {
  isStreamedEvent,
  type RunCall,
  type RunCaller,
  type RunEvent,
} from '../../core/runs/run-call.ts'
import type { DetachedError } from '../../core/runs/detached/detached-run.ts'
import type { SealedSecrets } from '../access/seal-secrets.ts'
import type { ObjectRef } from '../objects/objects.ts'

/** Fields of a call that a front sends to a worker. The environment is that of the worker. */
export interface ForwardedCall {
  /** Without the limit of runs, which the front applies. */
  caller: Omit<RunCaller, 'maxRuns'>
  allowNetwork: boolean
}

export function pickSentCall({ caller = {}, grants }: RunCall): ForwardedCall {
  const given = Object.entries(caller).filter(([name, value]) => {
    return name !== 'maxRuns' && value !== undefined
  })
  return { caller: Object.fromEntries(given), allowNetwork: grants?.allowNetwork === true }
}

/** Decision about an attempt of a call, the first one that is written: `c.<call>.<attempt>`. */
export type Fence =
  | {
      t: 'begun'
      node: string
      start: string
      at: string
      digest: string
      /** The caller, which may follow the run at another front; undefined for a local user. */
      caller?: string | undefined
      principal?: string | undefined
    }
  /** The front gave the attempt up before anything began, or a queued run was ended. */
  | { t: 'revoked'; node: string; at: string }

/** A front asks a worker to perform a call: `w.<node>.start`. */
export interface StartMessage {
  v: string
  /** Id of the call and of its run. */
  call: string
  attempt: number
  method: string
  params: unknown
  /** Parameters that are too large for a message. */
  params_ref?: ObjectRef | undefined
  sent: ForwardedCall
  /** SHA-256 of method, parameters and caller: the same id with another one is another call. */
  digest: string
  /** Subject of the replies: `a.<front>.<token>`. */
  front: string
  token: string
  /** Number of this call among those that the front sent to the worker; 0 if it needs no place. */
  count: number
  /** The worker needs at least this position of the catalog. */
  catalog: number
  /** Secrets of the front that the call may use, for this worker only. Never stored. */
  sealed?: SealedSecrets | undefined
  /** The session that the call uses, whose home the worker is. */
  home?: HomeRef | undefined
}

/** A session, and the number of its home. */
export interface HomeRef {
  key: string
  generation: number
}

/** `moved`: the worker is not the home of the session any more. */
export type BusyReason = 'full' | 'draining' | 'version' | 'moved'

/** Replies of a worker to the front that sent a call, in this order. */
export type CallReply =
  | { t: 'accepted'; node: string; start: string }
  | { t: 'busy'; why: BusyReason; free: number }
  /** Another node has the fence of this attempt, or the call has an end. */
  | { t: 'taken' }
  /** The engine did not answer, so the holder of the fence is not known. */
  | { t: 'unsure' }
  /** Numbered from 1. */
  | { t: 'fact'; n: number; fact: RunEvent }
  /**
   * The answer, while its end is being stored. It counts when the engine acknowledges the end, which the front hears
   * at the same time as the worker.
   */
  | { t: 'ending'; answer: CallAnswer }
  | { t: 'end'; answer: CallAnswer }

/** Types of events that a worker reports besides those that followers of a run see. */
const FACT_TYPES = new Set<string>(['phase', 'admitted', 'isolated', 'cpu', 'recorded'])

/** True for an event that a worker reports to fronts, which accept no other one. */
export function isFact(event: RunEvent): boolean {
  return isStreamedEvent(event) || FACT_TYPES.has(event.type)
}

/** The result of a call, or its error. */
export type CallAnswer =
  | { result: unknown }
  | { error: DetachedError }
  /** A result that is too large for a message. */
  | { ref: ObjectRef }

/**
 * Requests to a worker about its calls: `w.<node>.ctl`. Other workers use `w.<node>.ask`, which accepts only
 * `ask`.
 */
export type NodeRequest =
  | { op: 'cancel'; call: string }
  /** Asks whether the worker has a call. */
  | { op: 'ask'; call: string; attempt?: number | undefined }
  /** Asks for the replies of a call from number `after` on. */
  | { op: 'follow'; call: string; front: string; token: string; after: number }
  /** The front does not wait for the call any more. */
  | { op: 'unfollow'; call: string; front: string; token: string }
  | { op: 'logs'; run: string; offset: number }
  | { op: 'drain' }

export interface AskAnswer {
  start: string
  isKnown: boolean
}

/** Messages that are larger travel as an object. */
export const MAX_MESSAGE_BYTES: number = 512 * 1024
