import type { NeutralMessage, NeutralRequest } from '../../agent/adapters/neutral.ts'

export type AssistantMessage = Extract<NeutralMessage, { role: 'assistant' }>

/** One request to a model: the conversation, the tools, and the greatest length of the answer. */
export interface ModelRequest extends Omit<NeutralRequest, 'messages'> {
  messages: readonly NeutralMessage[]
  maxOutputTokens: number
  signal: AbortSignal
}

export interface TokenUsage {
  input: number
  output: number
}

export interface ModelAnswer {
  message: AssistantMessage
  /** Undefined if the provider does not report it. */
  usage: TokenUsage | undefined
}

/** A model that answers conversations. It has no memory: a request has the whole conversation. */
export interface EvalModel {
  /** As on the command line: `provider/model` or `script:path`. */
  name: string
  /** True if an answer costs nothing, so that no ceiling is needed. */
  isFree: boolean
  respond(request: ModelRequest): Promise<ModelAnswer>
}
