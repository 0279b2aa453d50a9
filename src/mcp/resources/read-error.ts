import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server'
import { toSkillsError, type ErrorCode } from '../../errors.ts'
import type { ToolCaller } from '../../rpc/tool-caller.ts'

const NOT_FOUND_CODES = new Set<ErrorCode>(['blob/not-found', 'run/not-found', 'file/not-found'])

/** Maps an error of reading a resource to a protocol error. */
export function toReadError(caller: ToolCaller, uri: string, thrown: unknown): ProtocolError {
  const error = toSkillsError(thrown)
  const { message, data } = caller.describe(error)
  if (NOT_FOUND_CODES.has(error.code)) return new ResourceNotFoundError(uri, message)
  const isTheirs = error.code === 'blob/too-large' || error.code === 'params/invalid'
  const code = isTheirs ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError
  return new ProtocolError(code, message, data)
}
