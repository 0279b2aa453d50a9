// @module-tag slow
// @module-tag nightly
import { describe, expect, it } from 'vitest'
import type { WorkflowParams } from '../../../src/core/methods/runtime-workflow/definition.ts'
import { resolveReferences } from '../../../src/core/methods/runtime-workflow/references.ts'
import { toSkillsError } from '../../../src/errors.ts'
import { createExecutor } from '../../helpers/execute.ts'

type Step = WorkflowParams['steps'][number]

const shell = (code: string, more = {}): Step => ({
  method: 'runtime.execute',
  params: { runtime: 'shell', code, ...more },
})

const query = (step: number, ...queryTerms: string[]): Step => ({
  method: 'runtime.queryOutput',
  params: { artifactHandle: `$${step}.artifactHandle`, queryTerms },
})

async function runSteps(steps: readonly Step[], more: Partial<WorkflowParams> = {}, policy = '') {
  const { runtime } = await createExecutor('', { policy })
  const env = { PATH: process.env['PATH'] }
  return await runtime.workflow({ steps, ...more }, { cwd: '/', env })
}

describe('runtime.workflow', { timeout: 120_000 }, () => {
  it('passes fields of results to later steps', async () => {
    const { status, steps } = await runSteps([
      shell('seq 100; echo needle here'),
      query(0, 'needle'),
      shell('cat', { stdin: '$1.excerpts.0.content', outputMode: 'summary', args: ['$0'] }),
    ])
    expect(status).toBe('success')
    expect(steps.map((each) => each.status)).toEqual(['success', 'success', 'success'])
    expect(steps[2]?.result).toMatchObject({
      stdoutSummary: expect.stringContaining('needle here') as string,
    })
  })

  it('queries the output of a failed step', async () => {
    const steps = [shell('echo broken >&2; exit 3'), query(0, 'broken')]
    const all = await runSteps(steps, { onError: 'continueAll' })
    expect(all).toMatchObject({
      status: 'failure',
      steps: [{ status: 'failure', result: { exitCode: 3 } }, { status: 'success' }],
    })
    expect(JSON.stringify(all.steps[1]?.result)).toContain('broken')
  })

  it.each<[WorkflowParams['onError'], readonly string[]]>([
    [undefined, ['failure', 'skipped', 'skipped', 'skipped']],
    ['stop', ['failure', 'skipped', 'skipped', 'skipped']],
    ['continue', ['failure', 'skipped', 'success', 'success']],
    ['continueAll', ['failure', 'success', 'success', 'success']],
  ])('after a failure with onError %s', async (onError, expected) => {
    const steps = [shell('echo x; exit 1'), query(0, 'x'), shell('echo y'), query(2, 'y')]
    const { steps: ended } = await runSteps(steps, onError === undefined ? {} : { onError })
    expect(ended.map(({ status }) => status)).toEqual(expected)
    for (const each of ended) expect(each.error === undefined).toBe(each.status !== 'skipped')
  })

  it('is limited in time: later steps are skipped', async () => {
    const startedAt = performance.now()
    const { status, steps } = await runSteps([shell('sleep 60'), shell('true')], {
      timeoutMs: 2000,
      onError: 'continueAll',
    })
    expect(status).toBe('timeout')
    expect(steps.map((each) => each.status)).toEqual(['failure', 'skipped'])
    expect(performance.now() - startedAt).toBeLessThan(40_000)
  })

  it('gives each step the decision of the policy', async () => {
    const steps = [shell('true'), { ...shell(''), params: { runtime: 'python', code: 'print(1)' } }]
    const policy = '[deny]\nlanguages = ["python"]'
    const { steps: ended } = await runSteps(steps, {}, policy)
    expect(ended).toMatchObject([
      { status: 'success' },
      { status: 'failure', result: { status: 'denied' } },
    ])
  })

  it.each<[readonly Step[], RegExp]>([
    [[query(0)], /step 0 refers to step 0/],
    [[shell('true'), query(2), shell('true')], /step 1 refers to step 2/],
  ])('refuses references to later steps before it runs any: %j', async (steps, message) => {
    const thrown = await runSteps(steps).catch(toSkillsError)
    expect(thrown).toMatchObject({
      code: 'params/invalid',
      message: expect.stringMatching(message),
    })
  })

  it('refuses a session, whose files no step sees', async () => {
    const { steps } = await runSteps([shell('ls', { session: 's' })])
    expect(steps).toMatchObject([{ status: 'failure', code: 'params/invalid' }])
    expect(steps[0]?.error).toContain('sees no files of a session')
  })

  it('reports invalid parameters of a step as its failure', async () => {
    const { steps } = await runSteps(
      [shell('true', { timeoutMs: 'soon' }), shell('true', { colour: 'red' }), shell('true')],
      { onError: 'continueAll' },
    )
    expect(steps).toMatchObject([
      { status: 'failure', error: expect.stringContaining("'timeoutMs'") as string },
      { status: 'failure', error: expect.stringContaining("'colour'") as string },
      { status: 'success' },
    ])
  })
})

describe('resolveReferences()', () => {
  it.each([
    ['$0.a', 1],
    ['$0.list.1.x', 'deep'],
    ['$$0.a', '$0.a'],
    ['echo $0.a', 'echo $0.a'],
    ['$0', '$0'],
    ['$HOME.a', '$HOME.a'],
    ['$0.a ', '$0.a '],
  ])('%s', (text, expected) => {
    const results = [{ a: 1, list: [{}, { x: 'deep' }] }]
    expect(resolveReferences({ v: [text] }, results)).toEqual({ v: [expected] })
  })

  it.each(['$0.b', '$1.a', '$0.constructor', '$0.__proto__.x', '$0.a.b'])(
    '%s is missing',
    (text) => {
      expect(() => resolveReferences({ v: text }, [{ a: 1 }])).toThrow(/is not in the result/)
    },
  )
})
