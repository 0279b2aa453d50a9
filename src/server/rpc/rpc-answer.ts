import type { RpcReply } from '../../rpc/rpc.ts'

/** In the order in which Headers of the web list them. */
export const JSON_HEADERS = {
  'cache-control': 'no-store',
  'content-type': 'application/json',
  'x-content-type-options': 'nosniff',
} as const

/** The status of an answer: every call that was understood is 200, whatever became of it. */
export function resolveHttpStatus({ refused }: RpcReply): 200 | 400 {
  return refused === 'rpc/not-json' ? 400 : 200
}
