import type { RpcCall } from '../../rpc/rpc.ts'
import type { Caller } from '../auth/caller.ts'
import type { UsageQuotas } from './usage-quotas.ts'

/** Performs a call that may store something, and counts that for the caller. */
export async function countStored(
  { quotas }: { quotas: UsageQuotas },
  caller: Caller,
  { call, work }: { call: RpcCall; work: () => Promise<unknown> },
): Promise<unknown> {
  const name = call.method?.name
  if (name === 'create_skill') {
    quotas.require(caller, 'skills', 1)
    const result = await work()
    quotas.charge(caller, 'skills', 1)
    return result
  }
  if (name !== 'create_blob') return await work()
  // The size is known afterwards; the size of a request is limited.
  quotas.require(caller, 'blobBytes', 0)
  const result = await work()
  quotas.charge(caller, 'blobBytes', (result as { size_bytes: number }).size_bytes)
  return result
}
