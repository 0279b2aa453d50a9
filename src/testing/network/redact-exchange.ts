import type {
  RecordedExchange,
  CassetteRequest,
  CassetteResponse,
} from '../../core/testing/cassettes/cassette.ts'
import { decodeText, formatJson } from '../../core/testing/cassettes/message-body.ts'
import { selectRequestHeaders, type StandIns } from './stand-ins.ts'

/** Headers of a response that differ at each recording, and do not matter to clients. */
const VOLATILE =
  /^(?:date|age|alt-svc|nel|report-to|server|via|strict-transport-security|cf-.*|x-.*-?request-id|x-request-id|x-runtime|server-timing)$/

/** A request and its response, before their secrets are replaced. */
export interface RawExchange {
  request: CassetteRequest
  response: CassetteResponse
}

export interface ExchangeRedaction {
  comparedHeaders: readonly string[]
  /** Replaces the secrets of the case, and texts that look like credentials. */
  hide: (text: string) => string
  standIns: StandIns
}

/** Learns the credentials of an exchange; those of all are learned before any is redacted. */
export function learnCredentials(
  { request, response }: RawExchange,
  { hide, standIns }: ExchangeRedaction,
): void {
  standIns.learnUrl(hide(request.url))
  for (const { headers, body } of [request, response]) {
    standIns.learnHeaders(headers.map(([name, value]) => [name, hide(value)]))
    const text = decodeText(body)
    if (text !== undefined) standIns.learnBody(hide(text), headers)
  }
}

/** Replaces the secrets of an exchange. */
export function redactExchange(
  { request, response }: RawExchange,
  redaction: ExchangeRedaction,
): Pick<RecordedExchange, 'request' | 'response'> {
  const { hide, standIns, comparedHeaders } = redaction
  const replaceHeader = ([name, value]: readonly [string, string]) =>
    [name.toLowerCase(), standIns.replaceHeader(name.toLowerCase(), hide(value))] as const
  return {
    request: {
      method: request.method,
      url: standIns.replaceUrl(hide(request.url)),
      headers: selectRequestHeaders(request.headers, comparedHeaders).map(replaceHeader),
      body: redactBody(request, redaction),
    },
    response: {
      status: response.status,
      headers: response.headers
        .filter(([name]) => !VOLATILE.test(name.toLowerCase()))
        .map(replaceHeader),
      body: redactBody(response, redaction),
    },
  }
}

function redactBody(
  { headers, body }: Pick<CassetteRequest, 'headers' | 'body'>,
  { hide, standIns }: ExchangeRedaction,
): Buffer {
  const text = decodeText(body)
  if (text === undefined) return body
  return Buffer.from(formatJson(standIns.replaceBody(hide(text), headers)))
}
