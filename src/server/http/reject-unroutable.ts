import type { IncomingMessage, ServerResponse } from 'node:http'
import { SkillsError } from '../../errors.ts'
import { findAmbiguity } from './find-ambiguity.ts'
import { renderErrorBody } from './error-response.ts'
import { JSON_HEADERS } from '../rpc/rpc-answer.ts'
import type { ServerContext } from '../server-context.ts'

/**
 * Rejects a request that no route can handle: its Host and path form no URL, or contradict each
 * other.
 */
export function rejectUnroutable(
  context: ServerContext,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const { method = '', url = '' } = incoming
  const reason = findAmbiguity(incoming) ?? describeBadAddress(incoming)
  const error = new SkillsError('rpc/invalid-request', `Invalid Request: ${reason}`, {
    data: { reason },
  })
  const status = error.outcome.http
  context.metrics.count('skills_http_requests_total', { route: 'unknown', status: String(status) })
  context.log.write('warn', `${method} ${url.slice(0, 100)}`, {
    status,
    error: error.code,
    reason: error.message,
  })
  const text = renderErrorBody(context.rpc, url, error)
  const size = Buffer.byteLength(text)
  // The body is not read, so the connection cannot be reused.
  outgoing.writeHead(status, { ...JSON_HEADERS, 'content-length': size, connection: 'close' })
  outgoing.end(text)
}

function describeBadAddress({ headers, url = '' }: IncomingMessage): string {
  const address = `${headers.host ?? ''}${url}`.slice(0, 100)
  return `"${address}" is not a valid request URL`
}
