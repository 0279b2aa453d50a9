import { formatValue } from './assertions.ts'
import type { Reply } from './send-request.ts'

/** Violations of the transport by responses to ordinary calls, the first of each kind. */
export interface ResponseViolations {
  envelope: string | undefined
  contentType: string | undefined
}

/** Adds what one response violates. */
export function inspectResponse(
  found: ResponseViolations,
  sent: { method: string; id: string },
  reply: Reply,
): void {
  const problem = findEnvelopeProblem(reply, sent.id)
  if (problem !== undefined) found.envelope ??= `${sent.method}: ${problem}`
  const type = reply.headers.get('content-type')
  if (!/^application\/json *(?:;|$)/i.test(type ?? '')) {
    found.contentType ??= `${sent.method}: expected application/json, got ${formatValue(type)}`
  }
}

function findEnvelopeProblem({ json, text, status }: Reply, id: string): string | undefined {
  if (json === undefined) return `expected a JSON object, got ${formatValue(text)}`
  if (status !== 200) return `expected HTTP status 200, got ${status}`
  if (json['jsonrpc'] !== '2.0') {
    return `expected "jsonrpc": "2.0", got ${formatValue(json['jsonrpc'])}`
  }
  if (json['id'] !== id) return `expected the id ${formatValue(id)}, got ${formatValue(json['id'])}`
  if ('result' in json === 'error' in json) {
    return `expected either a result or an error, got ${formatValue(Object.keys(json))}`
  }
  if ('result' in json) return undefined
  const { code, message } = (json['error'] ?? {}) as { code?: unknown; message?: unknown }
  if (Number.isInteger(code) && typeof message === 'string' && message !== '') return undefined
  return `expected an error with an integer code and a message, got ${formatValue(json['error'])}`
}
