import type { TextPosition } from '../../../util/line-index.ts'

/** Recorded requests of one case and their answers. */
export interface Cassette {
  /** Absolute path of the file. */
  file: string
  /** Day of the recording, as `2026-11-23`. */
  recorded: string | undefined
  /** First day on which it is not used any more. */
  expires: string | undefined
  /** Headers of requests that are compared, in lower case. */
  comparedHeaders: readonly string[]
  /** True if the requests must arrive in the order of the file. */
  isOrdered: boolean
  exchanges: readonly RecordedExchange[]
}

/** A request and its answer. */
export interface RecordedExchange {
  request: CassetteRequest
  response: CassetteResponse
  /** Number of requests that it answers; `any`: also none. */
  times: number | 'any'
  /** Place in the file. */
  position: TextPosition
}

export interface CassetteRequest {
  method: string
  url: string
  headers: HeaderList
  body: Buffer
}

export interface CassetteResponse {
  status: number
  headers: HeaderList
  body: Buffer
}

/** Names in lower case with their values. */
export type HeaderList = readonly (readonly [string, string])[]

export function findHeader(headers: HeaderList, name: string): string | undefined {
  return headers.find(([each]) => each.toLowerCase() === name)?.[1]
}
