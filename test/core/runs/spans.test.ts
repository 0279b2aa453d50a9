import { describe, expect, it, onTestFinished } from 'vitest'
import { spawnSync } from 'node:child_process'
import { createRuntime } from '../../../src/core/runtime.ts'
import { Spans, type SpanTracerProvider } from '../../../src/util/spans.ts'
import { SkillsError } from '../../../src/errors.ts'
import { createTestRuntime } from '../../helpers/agent.ts'
import { ROOT } from '../../docs/documents.ts'
import { BUILT_MODULES } from '../../helpers/built.ts'

interface RecordedSpan {
  name: string
  parent: string | undefined
  attributes: Record<string, unknown>
  status?: { code: number }
  ended: number
}

/** A provider that records spans. The innermost open span is the parent of a synchronous one. */
function createProvider() {
  const spans: RecordedSpan[] = []
  const open: RecordedSpan[] = []
  const provider: SpanTracerProvider = {
    getTracer: () => ({
      startActiveSpan(name, { attributes }, work) {
        const own: RecordedSpan = {
          name,
          parent: open.at(-1)?.name,
          attributes: { ...attributes },
          ended: 0,
        }
        spans.push(own)
        open.push(own)
        return work({
          setAttribute: (key, value) => (own.attributes[key] = value),
          setStatus: (status) => (own.status = status),
          end() {
            own.ended += 1
            open.splice(open.indexOf(own), 1)
          },
        })
      },
    }),
  }
  return { provider, spans }
}

describe('spans of a library', () => {
  it('show the workspace, staging, the run and collecting', { timeout: 60_000 }, async () => {
    const { runtime, dir } = await createTestRuntime()
    const { provider, spans } = createProvider()
    const traced = createRuntime({
      config: runtime.config,
      cacheDir: null,
      tracerProvider: provider,
    })
    const call = { cwd: dir, env: { PATH: process.env['PATH'] } }
    const params = {
      session: 's',
      skill: 'demo',
      files: [{ name: 'a.txt', data: 'YQ==' }],
      inputs: [{ from: 'workspace://work/inputs/a.txt', to: 'work/b.txt' }],
      output_files: ['out/*'],
    }
    await traced.skillRun({ ...params, command: 'cat inputs/a.txt > out/c.txt' }, call)
    expect(spans.map(({ name, parent }) => [name, parent])).toEqual([
      ['workspace.create', undefined],
      ['workspace.stage.skill', undefined],
      ['workspace.stage.files', undefined],
      ['workspace.stage.inputs', undefined],
      ['run', undefined],
      ['workspace.collect', undefined],
    ])
    expect(spans.map(({ ended }) => ended)).toEqual(Array.from(spans, () => 1))
    const attributes = Object.assign({}, ...spans.map((each) => each.attributes)) as object
    expect(attributes).toMatchObject({
      'skills.skill.name': 'demo',
      'skills.files.staged': 1,
      'skills.files.count': 1,
      'skills.files.patterns': 'out/*',
      'skills.run.status': 'success',
      'skills.run.id': expect.any(String),
    })
    expect(JSON.stringify(spans)).not.toContain(dir)
  })

  it('have an error status without the message, which may have a secret', async () => {
    const { provider, spans } = createProvider()
    const record = new Spans(provider)
    const fail = () => {
      throw new SkillsError('file/not-found', 'secret')
    }
    expect(() => record.record({ name: 'sync' }, fail)).toThrow('secret')
    await expect(record.record({ name: 'async' }, async () => fail())).rejects.toThrow('secret')
    for (const span of spans) {
      expect(span).toMatchObject({
        attributes: { 'error.type': 'file/not-found' },
        status: { code: 2 },
        ended: 1,
      })
    }
    expect(JSON.stringify(spans)).not.toContain('secret')
  })

  it('use the provider that the program registered with the API, and its context', async () => {
    const { context, trace } = await import('@opentelemetry/api')
    const { provider, spans } = createProvider()
    onTestFinished(() => {
      trace.disable()
      context.disable()
    })
    const own = new Spans()
    expect(own.record({ name: 'before' }, () => 1)).toBe(1)
    trace.setGlobalTracerProvider(provider as never)
    // The API's own type is accepted.
    const registered: SpanTracerProvider = trace.getTracerProvider()
    expect(new Spans(registered).record({ name: 'passed' }, () => 3)).toBe(3)
    expect(await own.record({ name: 'after' }, async () => await Promise.resolve(2))).toBe(2)
    expect(spans.map(({ name }) => name)).toEqual(['passed', 'after'])
  })

  it('load no package of OpenTelemetry', () => {
    const hooks = `export async function resolve(name, context, next) {
      if (name.includes('opentelemetry')) throw new Error('loaded ' + name)
      return next(name, context)
    }`
    const script = `
      import { register } from 'node:module'
      register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hooks)}))
      const { Spans } = await import('./src/util/spans.ts')
      await import('./src/core/open-services.ts')
      console.log(new Spans().record({ name: 'x' }, () => 'worked'))
      await import('@opentelemetry/api').catch((error) => console.log(error.message))`
    const argv = ['--import', BUILT_MODULES, '--input-type=module', '-e', script]
    const { stdout } = spawnSync(process.execPath, argv, { cwd: ROOT, encoding: 'utf8' })
    expect(stdout).toBe('worked\nloaded @opentelemetry/api\n')
  })
})
