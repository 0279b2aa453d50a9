import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { readExporterConfig } from '../../src/server/telemetry/exporter-config.ts'
import { createBoundedLabel } from '../../src/server/telemetry/metrics.ts'
import { batchLines, jsonLog, textLog } from '../../src/server/telemetry/request-log.ts'
import { createSpanExporter } from '../../src/server/telemetry/spans.ts'
import { readTraceparent } from '../../src/server/telemetry/trace-context.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { startTestServer } from '../helpers/server.ts'

const tree = prefixPaths('skills/greet', createActionSkill('demo.greet'))
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const traceparent = `00-${TRACE}-${PARENT}-01`

function createJsonLog() {
  const lines: Record<string, unknown>[] = []
  const log = jsonLog((line) => lines.push(JSON.parse(line) as Record<string, unknown>))
  return { log, lines }
}

/** Each phase ends when the next one begins. */
function expectConsecutive(parts: Record<string, unknown>[]): void {
  const times = parts.map((each) =>
    [each['startTimeUnixNano'], each['endTimeUnixNano']].map(Number),
  )
  for (const [at, [start = 0, end = 0]] of times.entries()) {
    expect(start).toBeLessThanOrEqual(end)
    const before = times[at - 1]?.[1] ?? start
    expect(Math.abs(start - before)).toBeLessThan(10_000)
  }
}

const STAGES = 'parse resolve policy wait begin stage channel collect record'.split(' ')

describe('the request log', () => {
  it('has one line per call with its outcome', async () => {
    const { log, lines } = createJsonLog()
    const server = await startTestServer({ tree, log })
    await server.post(
      [
        { jsonrpc: '2.0', id: 'a', method: 'execute_skill', params: { name: 'demo.greet' } },
        { jsonrpc: '2.0', id: 'b', method: 'nope' },
      ],
      { traceparent },
    )
    expect(lines).toHaveLength(2)
    const run = lines.find((line) => line['rpc_id'] === 'a')
    expect(run).toMatchObject({
      level: 'info',
      message: 'execute_skill',
      code: 0,
      status: 'completed',
      skill: 'demo.greet',
      caller: 'anonymous',
      trace_id: TRACE,
    })
    expect(run?.['run_id']).toMatch(/^run_/)
    expect(lines.find((line) => line['rpc_id'] === 'b')).toMatchObject({
      level: 'warn',
      code: -32601,
    })
  })

  it('reports internal errors to the operator, not to the caller', async () => {
    const { log, lines } = createJsonLog()
    const server = await startTestServer({ log })
    server.runtime.repository.list = async () => {
      throw new Error('secret-detail /var/lib/x')
    }
    const { error } = await server.call('list_skills')
    expect(error).toEqual({ code: -32603, message: 'Internal error' })
    expect(lines[0]).toMatchObject({ level: 'error', code: -32603 })
    expect(lines[0]?.['reason']).toContain('secret-detail')
  })

  it('has a line for a message that is not a call', async () => {
    const { log, lines } = createJsonLog()
    const server = await startTestServer({ log })
    await server.post('{')
    await server.post([1, { jsonrpc: '2.0', id: 1 }])
    expect(lines.map((line) => [line['message'], line['code']])).toEqual([
      ['invalid message', -32700],
      ['invalid message', -32600],
      ['invalid message', -32600],
    ])
  })

  it('has a line for other requests, but not for monitoring', async () => {
    const { log, lines } = createJsonLog()
    const server = await startTestServer({ log })
    for (const path of ['/healthz', '/readyz', '/metrics', '/nothing']) await server.fetch(path)
    expect(lines).toMatchObject([{ level: 'warn', message: 'GET /nothing', status: 404 }])
  })

  it('cannot be forged or colored by input', () => {
    const lines: string[] = []
    textLog((line) => lines.push(line)).write('info', 'x\nerror forged', {
      name: '\u001b[31mred\n\u202e',
    })
    expect(lines).toHaveLength(1)
    expect(lines[0]?.trimEnd()).not.toMatch(/[\n\u001b\u202e]/)
  })
})

describe('batchLines()', () => {
  it('writes first lines at once and batches further ones', async () => {
    const written: string[] = []
    const out = batchLines((lines) => written.push(lines))
    const lines = Array.from({ length: 12 }, (_, at) => `${at}\n`)
    for (const line of lines) out(line)
    expect(written).toEqual(lines.slice(0, 8))
    const together = [...lines.slice(0, 8), lines.slice(8).join('')]
    await vi.waitFor(() => expect(written).toEqual(together))
  })

  it('writes at once again after a pause', async () => {
    const written: string[] = []
    const out = batchLines((lines) => written.push(lines))
    for (let at = 0; at < 12; at++) out('x\n')
    await vi.waitFor(() => expect(written).toHaveLength(9))
    await vi.waitFor(() => {
      const before = written.length
      out('y\n')
      expect(written.length).toBe(before + 1)
    })
    out.flush()
  })

  it('limits the buffer and writes all of it on flush()', () => {
    const written: string[] = []
    const out = batchLines((lines) => written.push(lines))
    const line = `${'x'.repeat(999)}\n`
    for (let at = 0; at < 201; at++) out(line)
    expect(written.length).toBeGreaterThan(2)
    expect(Math.max(...written.map((each) => each.length))).toBeLessThan(70_000)
    out.flush()
    out.flush()
    expect(written.join('')).toBe(line.repeat(201))
  })
})

describe('/metrics', () => {
  it('have a zero for series with known labels', async () => {
    const server = await startTestServer()
    const lines = (await (await server.fetch('/metrics')).text()).split('\n')
    for (const line of [
      'skills_http_requests_total{route="/rpc",status="200"} 0',
      'skills_rpc_calls_total{method="run_code",code="0"} 0',
      'skills_runs_by_path_total{path="cold"} 0',
      'skills_runs_refused_total 0',
    ]) {
      expect(lines).toContain(line)
    }
    await server.call('list_skills')
    const text = await (await server.fetch('/metrics')).text()
    expect(text).toContain('skills_rpc_calls_total{method="list_skills",code="0"} 1\n')
  })

  it('count a preflight with the status that it has', async () => {
    const origin = 'https://app.example.com'
    const server = await startTestServer({ allowedOrigins: [origin] })
    const headers = { origin, 'access-control-request-method': 'POST' }
    expect((await server.fetch('/rpc', { method: 'OPTIONS', headers })).status).toBe(204)
    const text = await (await server.fetch('/metrics')).text()
    const counted = text.split('\n').filter((line) => /^skills_http.*[1-9]$/.test(line))
    expect(counted).toHaveLength(1)
    expect(counted[0]).toContain('status="204"')
  })

  it('counts calls, runs, blobs and sandboxes', async () => {
    const server = await startTestServer({ tree })
    await server.result('execute_skill', { name: 'demo.greet' })
    await server.call('execute_skill', { name: 'no.such.skill' })
    await server.result('create_blob', { content: 'abc', kind: 'text/plain' })
    const response = await server.fetch('/metrics')
    expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4')
    const text = await response.text()
    for (const line of [
      'skills_runs_total{status="completed",skill="demo.greet"} 1',
      'skills_rpc_calls_total{method="execute_skill",code="0"} 1',
      'skills_rpc_calls_total{method="execute_skill",code="-32602"} 1',
      'skills_rpc_duration_seconds_count{method="create_blob"} 1',
      'skills_run_duration_seconds_bucket{le="+Inf"} 1',
      ...STAGES.map((stage) => `skills_run_stage_seconds_count{stage="${stage}"} 1`),
      'skills_http_requests_total{route="/rpc",status="200"} 3',
      'skills_blobs 1',
      'skills_blobs_bytes 3',
      'skills_sandboxes 0',
      'skills_runs_waiting 0',
    ]) {
      expect(text.split('\n'), line).toContain(line)
    }
    expect(text).not.toContain('no.such.skill')
  })

  it('is valid Prometheus text', async () => {
    const server = await startTestServer({ tree })
    await server.result('list_skills')
    const lines = (await (await server.fetch('/metrics')).text()).trimEnd().split('\n')
    for (const line of lines) {
      expect(line).toMatch(
        /^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"\n]*"(,\w+="[^"\n]*")*\})? -?[\d.e+-]+)$/,
      )
    }
  })

  it('does not grow with names that callers invent', async () => {
    const server = await startTestServer()
    for (let at = 0; at < 20; at++) await server.call(`invented_${at}`)
    for (let at = 0; at < 20; at++) await server.fetch(`/invented/${at}`)
    const text = await (await server.fetch('/metrics')).text()
    expect(text).not.toContain('invented')
    expect(text).toContain('skills_rpc_calls_total{method="unknown",code="-32601"} 20')
    const label = createBoundedLabel(2)
    expect(['a', 'b', 'c', 'a'].map(label)).toEqual(['a', 'b', 'other', 'a'])
  })
})

describe('/healthz and /readyz', () => {
  it('report that the server is running and whether it is ready', async () => {
    const server = await startTestServer()
    expect((await server.fetch('/healthz')).status).toBe(200)
    expect(await (await server.fetch('/readyz')).json()).toEqual({ status: 'ready' })
    server.runtime.repository.list = async () => {
      throw new Error('gone')
    }
    const response = await server.fetch('/readyz')
    expect(response.status).toBe(503)
    expect(await response.text()).not.toContain('gone')
  })
})

describe('spans', () => {
  it("are sent to the collector as children of the caller's span", async () => {
    const { url, bodies, headers } = await startCollector()
    const config = readExporterConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b',
      OTEL_SERVICE_NAME: 'mine',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test%20lab, service.name=other',
    })
    if (!config) throw new Error('no exporter')
    const { log } = createJsonLog()
    const server = await startTestServer({ tree, log, spans: createSpanExporter(config, log) })
    await server.post(
      { jsonrpc: '2.0', id: 1, method: 'execute_skill', params: { name: 'demo.greet' } },
      { traceparent },
    )
    await server.call('nope')
    await server.stop()
    expect(headers[0]?.['x-key']).toBe('a b')
    const toAttribute = (key: string, stringValue: string) => ({ key, value: { stringValue } })
    expect(bodies[0]).toMatchObject({
      resourceSpans: [
        {
          resource: {
            attributes: [
              toAttribute('deployment.environment', 'test lab'),
              toAttribute('service.name', 'mine'),
            ],
          },
        },
      ],
    })
    const spans = listSpans(bodies)
    expect(spans[0]).toMatchObject({
      name: 'execute_skill',
      traceId: TRACE,
      parentSpanId: PARENT,
      kind: 2,
    })
    expect(JSON.stringify(spans[0])).toContain('demo.greet')
    const parts = spans.slice(1, 1 + STAGES.length)
    expect(parts.map(({ name }) => name)).toEqual(STAGES.map((each) => `run.${each}`))
    for (const part of parts) {
      expect(part).toMatchObject({ traceId: TRACE, parentSpanId: spans[0]?.['spanId'], kind: 1 })
    }
    expectConsecutive(parts)
    const other = spans[1 + STAGES.length]
    expect(other).toMatchObject({ name: 'unknown', status: { code: 2 } })
    expect(other).not.toHaveProperty('parentSpanId')
  })

  it('are lost without other effects if the collector is unreachable', async () => {
    const { log, lines } = createJsonLog()
    const config = {
      url: 'http://127.0.0.1:9/v1/traces',
      headers: {},
      resource: {},
      problems: [],
      timeoutMs: 1000,
    }
    const server = await startTestServer({ log, spans: createSpanExporter(config, log) })
    await server.result('list_skills')
    await server.stop()
    expect(lines.some((line) => line['message'] === 'Spans could not be exported')).toBe(true)
  })

  it('are errors for failed runs, and unset for others', async () => {
    const { url, bodies } = await startCollector()
    const config = readExporterConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: url })
    if (!config) throw new Error('no exporter')
    const { log } = createJsonLog()
    const server = await startTestServer({ tree, log, spans: createSpanExporter(config, log) })
    const code = (text: string) => ({ language: 'python', code: `def main(args):\n  ${text}\n` })
    await server.result('run_code', code('raise ValueError("no")'))
    await server.result('run_code', code('return 1'))
    await server.result('runtime.execute', { runtime: 'shell', code: 'exit 3' })
    await server.call('describe_skill', { name: 'no.such' })
    await server.stop()
    const calls = listSpans(bodies).filter(({ kind }) => kind === 2)
    expect(calls.map(({ name, status }) => [name, status])).toEqual([
      ['run_code', { code: 2, message: 'run failed' }],
      ['run_code', {}],
      ['runtime.execute', { code: 2, message: 'run failure' }],
      ['describe_skill', { code: 2, message: 'skill/not-found' }],
    ])
  })

  it.each([
    [{}, { 'service.name': 'skills' }],
    [
      { OTEL_RESOURCE_ATTRIBUTES: 'a=1,b.c=x%2Cy%3D' },
      { a: '1', 'b.c': 'x,y=', 'service.name': 'skills' },
    ],
    [{ OTEL_RESOURCE_ATTRIBUTES: 'service.name=a' }, { 'service.name': 'a' }],
    [
      { OTEL_RESOURCE_ATTRIBUTES: 'service.name=a', OTEL_SERVICE_NAME: 'b' },
      { 'service.name': 'b' },
    ],
    [
      { OTEL_RESOURCE_ATTRIBUTES: 'service.name=a', OTEL_SERVICE_NAME: '' },
      { 'service.name': 'a' },
    ],
    [{ OTEL_RESOURCE_ATTRIBUTES: '' }, { 'service.name': 'skills' }],
  ])('have the resource attributes of %o', (env, resource) => {
    const config = readExporterConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x', ...env })
    expect(config).toMatchObject({ resource, problems: [] })
    expect(Object.keys(config?.resource ?? {})).toHaveLength(Object.keys(resource).length)
  })

  it.each(['a', 'a=%ff', '=b', 'a=1,b c=2', 'a=b=c'])(
    'report and discard the resource attributes %j',
    (text) => {
      const { log, lines } = createJsonLog()
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x', OTEL_RESOURCE_ATTRIBUTES: text }
      const config = readExporterConfig(env)
      expect(config?.resource).toEqual({ 'service.name': 'skills' })
      if (config) createSpanExporter(config, log)
      expect(lines).toMatchObject([
        {
          level: 'warn',
          message: 'OTEL_RESOURCE_ATTRIBUTES is not a list of name=value, so it is ignored',
        },
      ])
    },
  )

  it('are exported only if an exporter is configured', () => {
    expect(readExporterConfig({})).toBeUndefined()
    expect(
      readExporterConfig({ OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' }),
    ).toBeUndefined()
    expect(readExporterConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x:4318' })?.url).toBe(
      'http://x:4318/v1/traces',
    )
    expect(() => readExporterConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'nonsense' })).toThrow(
      /OTEL_EXPORTER_OTLP_ENDPOINT/,
    )
  })
})

describe('readTraceparent()', () => {
  it.each([
    [traceparent, { traceId: TRACE, parentId: PARENT, sampled: true }],
    [`00-${TRACE}-${PARENT}-00`, { traceId: TRACE, parentId: PARENT, sampled: false }],
    [`ff-${TRACE}-${PARENT}-01`, undefined],
    [`00-${'0'.repeat(32)}-${PARENT}-01`, undefined],
    [`00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
    ['nonsense', undefined],
    [undefined, undefined],
  ])('parses %s', (header, context) => expect(readTraceparent(header)).toEqual(context))
})

interface Collector {
  url: string
  bodies: unknown[]
  headers: Record<string, unknown>[]
}

/** Starts a collector that receives spans. */
async function startCollector(): Promise<Collector> {
  const bodies: unknown[] = []
  const headers: Record<string, unknown>[] = []
  const server: Server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => (text += String(chunk)))
    request.on('end', () => {
      expect(request.url).toBe('/v1/traces')
      bodies.push(JSON.parse(text))
      headers.push(request.headers)
      response.end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies, headers }
}

function listSpans(bodies: readonly unknown[]): Record<string, unknown>[] {
  const all = bodies as {
    resourceSpans: { scopeSpans: { spans: Record<string, unknown>[] }[] }[]
  }[]
  return all.flatMap((body) =>
    body.resourceSpans.flatMap((each) => each.scopeSpans.flatMap((scope) => scope.spans)),
  )
}
