/** A tracer provider of OpenTelemetry, as far as this library uses it. */
export interface SpanTracerProvider {
  getTracer(name: string): SpanTracer
}

export interface SpanTracer {
  startActiveSpan<T>(
    name: string,
    options: { attributes: SpanAttributes },
    work: (span: OpenSpan) => T,
  ): T
}

interface OpenSpan {
  setAttribute(name: string, value: string | number | boolean): unknown
  setStatus(status: { code: number; message?: string }): unknown
  end(): void
}

type SpanAttributes = Record<string, string | number | boolean>

interface SpanDescription<T> {
  name: string
  attributes?: SpanAttributes
  /** Attributes of the result. */
  describe?: (result: Awaited<T>) => SpanAttributes
}

const TRACER_NAME = 'skills-protocol'
/** OpenTelemetry's status code for an error. */
const ERROR_STATUS = 2
/** Global under which OpenTelemetry's API registers the providers of a program. */
const GLOBAL_API = Symbol.for('opentelemetry.js.api.1')

/**
 * Spans of a library. The provider is passed in, or registered by the program with OpenTelemetry's
 * API. Neither the API nor an SDK is loaded from here; without a provider nothing is recorded.
 */
export class Spans {
  readonly #provider: SpanTracerProvider | undefined

  constructor(provider?: SpanTracerProvider) {
    this.#provider = provider
  }

  /** Performs work in a span, which ends with its result. */
  record<T>({ name, attributes = {}, describe }: SpanDescription<T>, work: () => T): T {
    const provider = this.#provider ?? findGlobalProvider()
    if (!provider) return work()
    return provider.getTracer(TRACER_NAME).startActiveSpan(name, { attributes }, (span) => {
      const succeed = (result: Awaited<T>) => {
        for (const [key, value] of Object.entries(describe?.(result) ?? {}))
          span.setAttribute(key, value)
        span.end()
        return result
      }
      const fail = (error: unknown): never => {
        const type = readErrorType(error)
        span.setAttribute('error.type', type)
        // The message may have paths and secrets.
        span.setStatus({ code: ERROR_STATUS, message: type })
        span.end()
        throw error
      }
      let result: T
      try {
        result = work()
      } catch (error) {
        return fail(error)
      }
      if (!(result instanceof Promise)) return succeed(result as Awaited<T>)
      return (result as Promise<Awaited<T>>).then(succeed, fail) as T
    })
  }
}

/** The code of an error, if it has one. */
function readErrorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : error.name
}

function findGlobalProvider(): SpanTracerProvider | undefined {
  const api = (globalThis as Record<symbol, { trace?: SpanTracerProvider } | undefined>)[GLOBAL_API]
  return api?.trace
}
