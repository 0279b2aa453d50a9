import { SkillsError } from '../../errors.ts'

/** Destination of spans. */
export interface ExporterConfig {
  url: string
  headers: Readonly<Record<string, string>>
  /** Attributes of the resource, `service.name` included. */
  resource: Readonly<Record<string, string>>
  /** Variables that were ignored, with the reason. */
  problems: readonly string[]
  timeoutMs: number
}

type ExporterEnv = Readonly<Record<string, string | undefined>>

const DEFAULT_TIMEOUT_MS = 10_000

/** Reads the standard OpenTelemetry exporter variables; undefined if no exporter is configured. */
export function readExporterConfig(env: ExporterEnv): ExporterConfig | undefined {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return undefined
  if (env['OTEL_TRACES_EXPORTER']?.toLowerCase() === 'none') return undefined
  const url = readEndpointUrl(env)
  if (url === undefined) return undefined
  return {
    url,
    headers: {
      ...readHeaders(env['OTEL_EXPORTER_OTLP_HEADERS']),
      ...readHeaders(env['OTEL_EXPORTER_OTLP_TRACES_HEADERS']),
    },
    ...readResource(env),
    timeoutMs: readTimeout(
      env['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT'] || env['OTEL_EXPORTER_OTLP_TIMEOUT'],
    ),
  }
}

/** The configured traces endpoint, or the base endpoint with the standard path. */
function readEndpointUrl(env: ExporterEnv): string | undefined {
  const tracesUrl = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']
  const baseUrl = env['OTEL_EXPORTER_OTLP_ENDPOINT']
  const url = tracesUrl || (baseUrl ? `${baseUrl.replace(/\/+$/, '')}/v1/traces` : undefined)
  if (url === undefined) return undefined
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw invalidEndpointError(
    tracesUrl ? 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' : 'OTEL_EXPORTER_OTLP_ENDPOINT',
  )
}

/** The name of the service takes precedence over the same attribute. */
function readResource(env: ExporterEnv): Pick<ExporterConfig, 'resource' | 'problems'> {
  const attributes = readResourceAttributes(env['OTEL_RESOURCE_ATTRIBUTES'])
  const name = env['OTEL_SERVICE_NAME'] || attributes?.['service.name'] || 'skills'
  return {
    resource: { ...attributes, 'service.name': name },
    problems: attributes ? [] : ['OTEL_RESOURCE_ATTRIBUTES is not a list of name=value'],
  }
}

/** Undefined if any of them is invalid: the specification then discards all. */
function readResourceAttributes(text: string = ''): Record<string, string> | undefined {
  const attributes: Record<string, string> = {}
  for (const pair of text.split(',').map((each) => each.trim())) {
    if (pair === '') continue
    const [, name, value] = /^([^=\s]+)\s*=\s*([^=]*)$/.exec(pair) ?? []
    if (name === undefined || value === undefined) return undefined
    try {
      attributes[decodeURIComponent(name)] = decodeURIComponent(value)
    } catch {
      return undefined
    }
  }
  return attributes
}

function readTimeout(text: string | undefined): number {
  const timeout = Number(text)
  return Number.isInteger(timeout) && timeout > 0 ? timeout : DEFAULT_TIMEOUT_MS
}

/** Parses `name=value,name=value` with percent-encoded values. */
function readHeaders(text: string | undefined): Record<string, string> {
  const pairs = (text ?? '').split(',').flatMap((each) => {
    const at = each.indexOf('=')
    if (at < 1) return []
    const value = each.slice(at + 1).trim()
    return [[each.slice(0, at).trim().toLowerCase(), decodePercent(value)] as const]
  })
  return Object.fromEntries(pairs)
}

function decodePercent(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

function invalidEndpointError(variable: string): SkillsError {
  return new SkillsError('config/invalid', `${variable} is not an http or https URL`, {
    hint: `Unset ${variable}, or set it to something like http://localhost:4318`,
  })
}
