import type { RpcReply } from '../../rpc/rpc.ts'

/** In the order in which `Headers` sorts them. */
export const JSON_HEADERS = {
  'cache-control': 'no-store',
  'content-type': 'application/json',
  'x-content-type-options': 'nosniff',
} as const

/** Every understood call gets status 200, whatever its outcome. */
export function resolveHttpStatus({ refused }: RpcReply): 200 | 400 {
  return refused === 'rpc/not-json' ? 400 : 200
}
