import { beforeAll, describe, expect, it } from 'vitest'
import type { RunCall } from '../../../src/core/runs/run-call.ts'
import type { Runtime } from '../../../src/core/runtime.ts'
import { createFolder, type OnEnd } from '../../helpers/skills.ts'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createRuntimeIn } from '../runs/run-warm.ts'

const LOCAL: RunCall = { cwd: '/', env: {} }
const ADA: RunCall = { ...LOCAL, caller: { door: 'http', name: 'ada', principal: 'ada' } }
const MALLORY: RunCall = {
  ...LOCAL,
  caller: { door: 'http', name: 'mallory', principal: 'mallory' },
}
const OPERATOR: RunCall = {
  ...LOCAL,
  caller: { door: 'http', name: 'ops', principal: 'ops', isOperator: true },
}

const SKILL = {
  ...prefixPaths('skills/greet', {
    ...createActionSkill('demo.greet'),
    'docs/USAGE.md': 'Say a word to a penguin.\n',
  }),
  ...prefixPaths('skills/other', createActionSkill('demo.other')),
}

async function openRuntime(onEnd?: OnEnd): Promise<Runtime> {
  return await createRuntimeIn(createFolder(SKILL, onEnd), {})
}

const listNames = async (runtime: Runtime, call: RunCall) =>
  (await runtime.listSessions({}, call)).sessions.map(({ session }) => session)

describe('list_sessions', () => {
  it('shows each caller its own sessions, and an operator all', async () => {
    const runtime = await openRuntime()
    await runtime.skillLoad({ session: 'a', skill: 'demo.greet' }, ADA)
    await runtime.skillLoad({ session: 'm', skill: 'demo.other' }, MALLORY)
    await runtime.skillLoad({ session: 'local', skill: 'demo.greet' }, LOCAL)
    expect(await listNames(runtime, ADA)).toEqual(['a'])
    expect(await listNames(runtime, MALLORY)).toEqual(['m'])
    expect(new Set(await listNames(runtime, OPERATOR))).toEqual(new Set(['a', 'local', 'm']))
    expect(new Set(await listNames(runtime, LOCAL))).toEqual(new Set(['a', 'local', 'm']))
    const { sessions } = await runtime.listSessions({}, ADA)
    expect(sessions).toMatchObject([
      { caller: 'ada', entry_point: 'http', agents: 1, loaded: ['demo.greet'], problem: null },
    ])
  })

  it('tells callers of one name apart by their key', async () => {
    const runtime = await openRuntime()
    const near: RunCall = {
      ...LOCAL,
      caller: { name: 'anonymous', principal: 'address 192.0.2.1' },
    }
    await runtime.skillLoad({ session: 'mine', skill: 'demo.greet' }, near)
    expect(await listNames(runtime, near)).toEqual(['mine'])
    const far = { ...near, caller: { ...near.caller, principal: 'address 192.0.2.2' } }
    expect(await listNames(runtime, far)).toEqual([])
  })

  it('continues after a cursor', async () => {
    const runtime = await openRuntime()
    for (const session of ['a', 'b', 'c', 'd', 'e']) {
      await runtime.skillLoad({ session, skill: 'demo.greet' }, ADA)
    }
    const seen: (string | null)[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<Runtime['listSessions']>> = await runtime.listSessions(
        { limit: 2, ...(cursor !== null && { cursor }) },
        ADA,
      )
      seen.push(...page.sessions.map(({ session }) => session))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(seen).toHaveLength(5)
    expect(new Set(seen)).toEqual(new Set(['a', 'b', 'c', 'd', 'e']))
    const wrong = runtime.listSessions({ cursor: 'x' }, ADA)
    await expect(wrong).rejects.toMatchObject({ code: 'params/invalid' })
  })
})

describe('describe_session', () => {
  // A runtime of each test would start a thread of its own that counts tokens.
  let runtime: Runtime
  beforeAll(async () => {
    let removeFolder: Parameters<OnEnd>[0] = () => {}
    runtime = await openRuntime((cleanUp) => (removeFolder = cleanUp))
    return async () => await removeFolder()
  })

  const findId = async (session: string, call: RunCall) => {
    const { sessions } = await runtime.listSessions({}, call)
    return sessions.find((each) => each.session === session)?.id ?? ''
  }
  it('has what skill_context returns for the next request, with tokens', async () => {
    const load = { session: 'context', skill: 'demo.greet' }
    await runtime.skillLoad(load, ADA)
    await runtime.skillSelectDocs({ ...load, docs: ['docs/USAGE.md'], call: 'call_1' }, ADA)
    const shown = await runtime.describeSession({ session: 'context', format: 'anthropic' }, ADA)
    const peek = {
      session: 'context',
      peek: true,
      profile: 'agent',
      tool_results: ['call_1'],
    } as const
    const context = await runtime.skillContext(peek, ADA)
    const { system, results, tools, tokens, tools_tokens } = shown.request
    expect(system.map(({ part }) => part)).toEqual(['overview', 'guidance', 'loaded'])
    expect(system.map(({ text }) => text).join('\n\n')).toBe(context.system)
    expect(results).toMatchObject([{ call: 'call_1', text: context.results['call_1'] }])
    expect(results[0]?.text).toContain('penguin')
    expect(tools).toContainEqual(
      expect.objectContaining({ name: 'skill_load', input_schema: expect.anything() as object }),
    )
    const parts = [...system, ...results].reduce((sum, each) => sum + each.tokens, 0)
    expect(parts).toBeGreaterThan(0)
    expect(tokens).toBe(parts + tools_tokens)
    expect(shown).toMatchObject({
      session: 'context',
      agent: 'default',
      skills: [{ skill: 'demo.greet', selected_docs: ['docs/USAGE.md'] }],
      parts: [
        { skill: 'demo.greet', doc: null, call: null },
        { skill: 'demo.greet', doc: 'docs/USAGE.md', call: 'call_1' },
      ],
    })
  })

  it('changes nothing of a session whose loads last for one request', async () => {
    const once = { session: 'once', load_mode: 'once' } as const
    await runtime.skillLoad({ ...once, skill: 'demo.greet' }, ADA)
    const first = await runtime.describeSession({ session: 'once' }, ADA)
    expect(await runtime.describeSession({ session: 'once' }, ADA)).toEqual(first)
    expect(first.parts).toHaveLength(1)
    await runtime.skillContext({ session: 'once', messages: 1 }, ADA)
    await runtime.skillContext({ session: 'once', messages: 2 }, ADA)
    expect((await runtime.describeSession({ session: 'once' }, ADA)).parts).toEqual([])
  })

  it('finds no session of another caller, by name or by id', async () => {
    await runtime.skillLoad({ session: 'hidden', skill: 'demo.greet' }, ADA)
    const id = await findId('hidden', ADA)
    expect(await runtime.describeSession({ id }, OPERATOR)).toMatchObject({ caller: 'ada' })
    expect(await runtime.describeSession({ id }, ADA)).toMatchObject({ session: 'hidden' })
    for (const params of [{ id }, { session: 'hidden' }, { id: '../..' }, { id: 'f'.repeat(40) }]) {
      const hidden = runtime.describeSession(params, MALLORY)
      await expect(hidden, JSON.stringify(params)).rejects.toMatchObject({
        code: 'session/not-found',
      })
    }
    const both = runtime.describeSession({ id, session: 'hidden' }, ADA)
    await expect(both).rejects.toMatchObject({ code: 'params/invalid' })
  })

  it('finds no session of another address without a token, by name or by id', async () => {
    const near: RunCall = {
      ...LOCAL,
      caller: { name: 'anonymous', principal: 'address 192.0.2.1' },
    }
    const far = { ...near, caller: { ...near.caller, principal: 'address 192.0.2.2' } }
    await runtime.skillLoad({ session: 'mine', skill: 'demo.greet' }, near)
    const id = await findId('mine', near)
    for (const params of [{ id }, { session: 'mine' }]) {
      expect(await runtime.describeSession(params, near)).toMatchObject({ session: 'mine' })
      expect(
        await runtime.describeSession(params, {
          ...far,
          caller: { ...far.caller, isOperator: true },
        }),
      ).toMatchObject({
        session: 'mine',
      })
      await expect(runtime.describeSession(params, far)).rejects.toMatchObject({
        code: 'session/not-found',
      })
    }
  })
})
