import type { RpcReply } from '../../rpc/rpc.ts'

export const JSON_HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const

/** The status of an answer: every call that was understood is 200, whatever became of it. */
export function statusOf({ refused }: RpcReply): 200 | 400 {
  return refused === 'rpc/not-json' ? 400 : 200
}
