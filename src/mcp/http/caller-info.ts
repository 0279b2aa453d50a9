import type { AuthInfo } from '@modelcontextprotocol/server'
import type { ToolCaller } from '../../rpc/tool-caller.ts'

/** Takes a caller through the SDK to where a server is made for it. */
export function toAuthInfo(caller: ToolCaller): AuthInfo {
  return { token: '', clientId: caller.name, scopes: [], extra: { caller } }
}

/** Who was let in with a request. */
export function readCaller(info: AuthInfo | undefined): ToolCaller {
  return info?.extra?.['caller'] as ToolCaller
}
