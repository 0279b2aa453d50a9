import type { NetworkDestination } from '../destination.ts'

/** A complete request of a run to a listed destination. */
export interface AnswerableRequest {
  destination: NetworkDestination
  method: string
  /** Absolute, without user name and fragment. */
  url: string
  /** Names and values as received, without hop-by-hop headers and Host. */
  headers: readonly (readonly [string, string])[]
  body: Buffer
}

/** The answer to a request, with its whole decoded body. */
export interface AnsweredResponse {
  status: number
  headers: readonly (readonly [string, string])[]
  body: Buffer
}

/** Sends a request to its destination. Throws an error with a sentence if there is no answer. */
export type RequestForwarder = (request: AnswerableRequest) => Promise<AnsweredResponse>

/** Answers the requests of a run, which connects to no destination itself. */
export interface RequestAnswerer {
  /** `replay`: no request leaves this machine, and no name is resolved. */
  mode: 'replay' | 'record'
  answer(request: AnswerableRequest, forward: RequestForwarder): Promise<AnsweredResponse>
  /** Called with a sentence when a connection carries something that cannot be answered. */
  onUnanswerable(problem: string): void
}
