import { createRedactor, type Redactor } from '../../core/runs/redaction/redact.ts'
import type { RegexScanner } from '../../util/linear-regex/regex-scanner.ts'
import type { RecordedExchange } from '../../core/testing/cassettes/cassette.ts'

/** A part of an exchange that still has a secret, so that it must not be saved. */
export interface LeakedSecret {
  /** Number of the exchange, from 1. */
  number: number
  part: string
  /** The name of the secret, or its description. */
  secret: string
}

interface SecretScanOptions {
  /** Values by the names of the case's secrets. */
  secrets: ReadonlyMap<string, readonly string[]>
  /** Credentials that the requests and responses contained. */
  credentials: readonly string[]
  patterns: RegexScanner | undefined
}

/** Searches exchanges for secrets, in all encodings that logs are searched for. */
export function scanExchanges(
  exchanges: readonly Pick<RecordedExchange, 'request' | 'response'>[],
  options: SecretScanOptions,
): LeakedSecret | undefined {
  const redactors = createRedactors(options)
  for (const [at, exchange] of exchanges.entries()) {
    for (const [part, bytes] of listParts(exchange)) {
      const found = redactors.find(([, redactor]) => changes(redactor, bytes))
      if (found) return { number: at + 1, part, secret: found[0] }
    }
  }
  return undefined
}

/** Returns what a text contains: the name of a secret, or the description of a credential. */
export function findSecret(bytes: Buffer, options: SecretScanOptions): string | undefined {
  return createRedactors(options).find(([, redactor]) => changes(redactor, bytes))?.[0]
}

function createRedactors({
  secrets,
  credentials,
  patterns,
}: SecretScanOptions): (readonly [string, Redactor])[] {
  return [
    ...[...secrets].map(
      ([name, values]) => [`the secret ${name}`, createRedactor(values)] as const,
    ),
    ['a credential of the requests', createRedactor(credentials)],
    ['a text that looks like a credential', createRedactor([], patterns)],
  ]
}

function changes(redactor: Redactor, bytes: Buffer): boolean {
  const stream = redactor.stream()
  return !Buffer.concat([stream.push(bytes), stream.end()]).equals(bytes)
}

function* listParts({
  request,
  response,
}: Pick<RecordedExchange, 'request' | 'response'>): Generator<readonly [string, Buffer]> {
  yield ['the URL', Buffer.from(request.url)]
  for (const [kind, { headers, body }] of [
    ['request', request],
    ['response', response],
  ] as const) {
    for (const [name, value] of headers) {
      yield [`the header "${name}" of the ${kind}`, Buffer.from(`${name}: ${value}`)]
    }
    yield [`the body of the ${kind}`, body]
  }
}
