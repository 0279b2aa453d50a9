import { computeDigest } from '../../core/runs/compute-digest.ts'
import type { Engine } from '../engine/engine.ts'
import type { Fence, ForwardedCall } from './call-messages.ts'
import { decodeMessage, encodeMessage } from './encoding.ts'

/** Digest of the method, the parameters and the caller of a call. */
export function digestCall(method: string, params: unknown, { caller }: ForwardedCall): string {
  const { name = null, principal = null } = caller
  return computeDigest(JSON.stringify([method, params, [name, principal]]))
}

export type FenceResult = { isMine: true } | { isMine: false; holder: Fence | undefined }

/** Writes the fence of an attempt. Of all nodes that try, one succeeds. */
export async function takeFence(
  engine: Engine,
  { call, attempt }: { call: string; attempt: number },
  fence: Fence,
): Promise<FenceResult> {
  const made = await engine.create('calls', nameFence(call, attempt), encodeMessage(fence))
  if (made.isCreated) return { isMine: true }
  return {
    isMine: false,
    holder: made.existing && (decodeMessage(made.existing.body) as Fence | undefined),
  }
}

/** Reads the fence of the last attempt of a call; undefined if there is none. */
export async function readFence(engine: Engine, call: string): Promise<FoundFence | undefined> {
  let found: FoundFence | undefined
  for (let attempt = 1; ; attempt++) {
    const stored = await engine.last('calls', nameFence(call, attempt))
    const fence = stored && (decodeMessage(stored.body) as Fence | undefined)
    if (!fence) return found
    found = { attempt, fence }
  }
}

export interface FoundFence {
  attempt: number
  fence: Fence
}

function nameFence(call: string, attempt: number): string {
  return `c.${call}.${attempt}`
}
