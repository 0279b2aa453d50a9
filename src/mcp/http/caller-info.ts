import type { AuthInfo } from '@modelcontextprotocol/server'
import type { ToolCaller } from '../../rpc/tool-caller.ts'

/** Wraps a caller for the SDK, which passes `authInfo` to the server factory. */
export function toAuthInfo(caller: ToolCaller): AuthInfo {
  return { token: '', clientId: caller.name, scopes: [], extra: { caller } }
}

/** Unwraps the authenticated caller of a request. */
export function readCaller(info: AuthInfo | undefined): ToolCaller {
  return info?.extra?.['caller'] as ToolCaller
}
