import type { ServerResponse } from 'node:http'
import type { RawRequest } from '../helpers/raw-server.ts'
import type { Tree } from '../helpers/skills.ts'

export interface Message {
  jsonrpc?: unknown
  id?: unknown
  result?: Record<string, unknown> | null
  error?: { code: number; message: string }
}

/** A call as it was sent. */
export type Call = Message & { method: string; params: Record<string, unknown> }

/** One violation of the protocol, applied to the responses of a correct runtime. */
export interface Fault {
  breaks: string[]
  /** Changes the response to a call. */
  answer?: (answer: Message, call: Call) => Message
  /** Changes a call before it is executed. */
  call?: (call: Call) => Call
  status?: (status: number, call: Call | undefined) => number
  contentType?: (call: Call) => string | undefined
  /** Set if the runtime was checked before, without the fault. */
  isCheckedBefore?: true
  /** Additional skills. */
  skills?: Tree
  /** Handles a request in place of the runtime; false if the fault does not apply to it. */
  instead?: (request: RawRequest, response: ServerResponse, call: Call | undefined) => boolean
}

export const result =
  (change: (result: Record<string, unknown>, call: Call) => object | undefined) =>
  (answer: Message, call: Call): Message =>
    answer.result
      ? { ...answer, result: { ...answer.result, ...change(answer.result, call) } }
      : answer

export const of = (
  method: string,
  change: (result: Record<string, unknown>, call: Call) => object | undefined,
) => result((given, call) => (call.method === method ? change(given, call) : undefined))

export const ERROR = (code: number) => ({ code, message: 'No' })
