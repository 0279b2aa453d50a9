// @module-tag nats-server
import { describe, expect, it, onTestFinished } from 'vitest'
import { evaluatePolicy } from '../../../src/core/policy/evaluate-policy.ts'
import { parsePolicy } from '../../../src/core/policy/parse-policy.ts'
import type { Policy } from '../../../src/core/policy/policy.ts'
import type { PolicyRequest } from '../../../src/core/policy/policy-request.ts'
import { openFleetPolicy } from '../../../src/fleet/access/fleet-policy.ts'
import { pushPolicy, readPolicy } from '../../../src/fleet/access/stored-policy.ts'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import { openTestEngine, useNatsServer } from '../objects/open-test-engine.ts'

const nats = useNatsServer()
const DENY_CODE =
  '[[rules]]\nname = "no code"\nwhen.kinds = ["run_code"]\nrefuse = "No code here"\n'

function createOwn(text = ''): Policy {
  const { scopes, programs, approval } = parsePolicy('own.toml', text, 'operator')
  return {
    enabled: true,
    timeoutMs: 1000,
    maxTimeoutMs: 60_000,
    outputBytes: 1000,
    environment: [],
    scopes,
    programs,
    approval,
    files: [],
  }
}

function createRequest(kind: PolicyRequest['kind'], skill = 'demo.greet'): PolicyRequest {
  return {
    kind,
    token: null,
    door: 'http',
    skills: [{ name: skill, version: '1.0.0' }],
    network: [],
    environment: [],
  } as unknown as PolicyRequest
}

async function push(engine: Engine, text: string) {
  return await pushPolicy(engine, { file: 'fleet.toml', text, by: 'test' })
}

async function follow(engine: Engine, own: Policy) {
  const fleet = await openFleetPolicy(engine)
  onTestFinished(() => fleet.close())
  return fleet.restrict(async () => own)
}

describe('the policy of a fleet', () => {
  it('denies what the policy of the worker allows', async () => {
    const engine = await openTestEngine(nats.server)
    const own = createOwn()
    const source = await follow(engine, own)
    expect(evaluatePolicy(createRequest('run_code'), await source()).allowed).toBe(true)
    await push(engine, DENY_CODE)
    await expect
      .poll(async () => evaluatePolicy(createRequest('run_code'), await source()).allowed)
      .toBe(false)
    const denied = evaluatePolicy(createRequest('run_code'), await source())
    expect(denied.denials[0]).toMatchObject({ sentence: 'No code here', by: 'no code' })
    expect(evaluatePolicy(createRequest('execute_skill'), await source()).allowed).toBe(true)
  })

  it('does not allow what the policy of the worker denies', async () => {
    const engine = await openTestEngine(nats.server)
    await push(engine, '[allow]\nkinds = ["run_code", "execute_skill"]\n')
    const source = await follow(engine, createOwn(DENY_CODE))
    expect(evaluatePolicy(createRequest('run_code'), await source()).allowed).toBe(false)
  })

  it.each([
    '[[programs]]\nname = "wide"\nnetwork = ["https://example.com"]\nwhen.executables = ["/usr/bin/git"]\n',
    '[approval]\ncommand = ["/bin/true"]\n',
  ])('cannot set what only the operator of a worker may: %j', async (text) => {
    const engine = await openTestEngine(nats.server)
    await expect(push(engine, text)).rejects.toMatchObject({
      code: 'policy/invalid',
      message: expect.stringContaining("A fleet's policy cannot set") as string,
    })
    expect(await readPolicy(engine)).toBeUndefined()
  })

  it('that was stored by other means cannot do so either', async () => {
    const engine = await openTestEngine(nats.server)
    const text =
      '[[programs]]\nname = "wide"\nnetwork = ["https://example.com"]\nwhen.executables = ["/usr/bin/git"]\n'
    const stored = { text, digest: 'x', by: 'x', at: 'x' }
    await engine.append('access', 'ac.policy.current', JSON.stringify(stored))
    await expect((await follow(engine, createOwn()))()).rejects.toMatchObject({
      code: 'policy/invalid',
    })
  })

  it.each(['', '{}', '[]', '{"text":1}', '{"text":"[[","digest":"","by":"","at":""}'])(
    'that is damaged, as %j, allows nothing',
    async (body) => {
      const engine = await openTestEngine(nats.server)
      await engine.append('access', 'ac.policy.current', body)
      await expect((await follow(engine, createOwn()))()).rejects.toMatchObject({
        code: 'policy/invalid',
      })
    },
  )

  it('is the same object until it changes', async () => {
    const engine = await openTestEngine(nats.server)
    await push(engine, DENY_CODE)
    const source = await follow(engine, createOwn())
    const first = await source()
    expect(await source()).toBe(first)
    await push(engine, '')
    await expect.poll(async () => (await source()) === first).toBe(false)
    expect(evaluatePolicy(createRequest('run_code'), await source()).allowed).toBe(true)
  })

  it('is listed with its digest, as one that can only restrict', async () => {
    const engine = await openTestEngine(nats.server)
    const { digest } = await push(engine, DENY_CODE)
    const { files } = await (await follow(engine, createOwn()))()
    expect(files).toEqual([{ path: "the fleet's policy", trust: 'project', digest }])
  })
})
