// @module-tag slow
// @module-tag nightly
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { localHost } from '../../src/agent/local-host.ts'
import { createAgentSession, type AgentSession } from '../../src/agent/session.ts'
import type { LoadMode } from '../../src/core/skill-context/session-state.ts'
import { createTestRuntime, callTool } from '../helpers/agent.ts'
import { DOCS, Model } from './loads-model.ts'

const NAMES = ['alpha', 'beta', 'gamma']
const TREE = Object.fromEntries(
  NAMES.flatMap((name) => [
    [`skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: d\n---\n<${name}>`],
    ...DOCS.map((doc): [string, string] => [`skills/${name}/${doc}`, `<${name}/${doc}>`]),
  ]),
)

type Step =
  | { kind: 'load'; skill: string; docs: string[]; include_all_docs: boolean }
  | { kind: 'select'; skill: string; docs: string[]; include_all_docs: boolean; mode: string }
  | { kind: 'turn'; loads: { name: string; docs?: string[] }[] }
  | { kind: 'request'; isAgain: boolean; seen: boolean }
  | { kind: 'fail' }

const anySkill = fc.constantFrom(...NAMES)
const docs = fc.subarray(DOCS)
const all = fc.boolean()
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('load' as const),
      skill: anySkill,
      docs,
      include_all_docs: all,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('select' as const),
      skill: anySkill,
      docs,
      include_all_docs: all,
      mode: fc.constantFrom('add', 'replace', 'clear'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('turn' as const),
      loads: fc.uniqueArray(fc.record({ name: anySkill, docs }, { requiredKeys: ['name'] }), {
        maxLength: 2,
        selector: (each) => each.name,
      }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('request' as const),
      isAgain: fc.boolean(),
      seen: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'fail' }) },
)

/** One implementation under test. */
interface Way {
  load(args: object, call: string): Promise<unknown>
  select(args: object, call: string): Promise<unknown>
  turn(loads: readonly { name: string; docs?: string[] }[]): Promise<unknown>
  request(length: number, results: readonly string[]): Promise<string>
  loaded(): Promise<readonly string[]>
}

async function throughLibrary(options: { loadMode: LoadMode; maxLoaded: number }): Promise<Way> {
  const { runtime } = await createTestRuntime(TREE)
  const make = (state?: unknown) =>
    createAgentSession({ host: localHost(runtime), ...options, ...(state ? { state } : {}) })
  let session: AgentSession = make()
  return {
    load: async (args, call) => await callTool(session, 'skill_load', args, call),
    select: async (args, call) => await callTool(session, 'skill_select_docs', args, call),
    turn: async (loads) => await session.beginTurn({ loads }),
    request: async (length, results) => {
      const composed = await session.compose({ length, results: new Set(results) })
      // Each request simulates a new process that restores the stored state.
      session = make(JSON.parse(JSON.stringify(session.state)))
      return [composed.system, ...composed.results.values()].join('\n')
    },
    loaded: async () => session.loaded,
  }
}

async function overTheWire(options: { loadMode: LoadMode; maxLoaded: number }): Promise<Way> {
  const { runtime } = await createTestRuntime(TREE)
  const at = { session: 's', load_mode: options.loadMode, max_loaded: options.maxLoaded }
  const failed = (error: Error) => ({ isError: true, text: error.message })
  let turn = 0
  return {
    load: async (args, call) =>
      await runtime.skillLoad({ ...at, ...args, call } as never).catch(failed),
    select: async (args, call) =>
      await runtime.skillSelectDocs({ ...at, ...args, call } as never).catch(failed),
    turn: async (loads) => {
      turn += 1
      const declared = loads.map(({ name, ...rest }) => ({ skill: name, ...rest }))
      await runtime.skillContext({ ...at, turn: `${turn}`, loads: declared, peek: true })
    },
    request: async (messages, results) => {
      const context = await runtime.skillContext({ ...at, messages, tool_results: results })
      return [context.system, ...Object.values(context.results)].join('\n')
    },
    loaded: async () =>
      (await runtime.skillContext({ ...at, peek: true, messages: -1 })).loaded.map(
        (each) => each.skill,
      ),
  }
}

/** Runs a conversation step by step in the system and in the model. */
async function follow(way: Way, model: Model, steps: readonly Step[]): Promise<void> {
  const calls: string[] = []
  let length = 0
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'turn') {
      await beginTurn(way, model, step)
    } else if (step.kind === 'request') {
      if (!step.isAgain) length += 2
      model.request(length)
      const text = await way.request(length, step.seen ? calls : [])
      expect((text.match(/<[^>]+>/g) ?? []).sort()).toEqual(model.texts.sort())
    } else {
      calls.push(`c${index}`)
      await change(way, model, { step, call: `c${index}` })
    }
    if (model.mode !== 'once') expect(await way.loaded()).toEqual(model.loaded)
  }
}

async function beginTurn(way: Way, model: Model, step: Step & { kind: 'turn' }): Promise<void> {
  const tooMany = model.most > 0 && step.loads.length > model.most
  const loads = tooMany ? [] : step.loads
  await way.turn(loads)
  model.turn()
  for (const { name, docs: named } of loads) model.load(name, named)
}

async function change(
  way: Way,
  model: Model,
  { step, call }: { step: Step & { kind: 'load' | 'select' | 'fail' }; call: string },
): Promise<void> {
  const { kind, ...args } = step
  if (kind === 'fail') {
    const invalid = { skill: 'alpha', docs: ['NONE.md'] }
    expect(await way.load(invalid, call)).toMatchObject({ isError: true })
    expect(await way.select(invalid, call)).toMatchObject({ isError: true })
    return
  }
  expect(await way[kind](args, call)).not.toMatchObject({ isError: true })
  if (step.kind === 'select') model.select(step.skill, { ...step, all: step.include_all_docs })
  if (step.kind !== 'load') return
  const named = step.docs.length > 0 ? step.docs : undefined
  model.load(step.skill, step.include_all_docs ? DOCS : named)
}

const withoutDocs = { docs: [], include_all_docs: false }
const request: Step = { kind: 'request', isAgain: false, seen: false }
/** Documents that are selected before their skill is loaded; with another skill in the request between. */
const SELECTED_FIRST: Step[][] = [
  [],
  [{ kind: 'load', skill: 'beta', ...withoutDocs } as const],
].map((between) => [
  { kind: 'select', skill: 'alpha', docs: [], include_all_docs: true, mode: 'add' },
  ...between,
  request,
  request,
  { kind: 'load', skill: 'alpha', ...withoutDocs },
  request,
])

describe('loads after random calls', () => {
  it.each([
    ['through the library', throughLibrary],
    ['over the wire', overTheWire],
  ] as const)('equal those of a reference model, %s', { timeout: 120_000 }, async (_name, open) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStep, { minLength: 1, maxLength: 20 }),
        fc.constantFrom<LoadMode>('turn', 'once', 'session'),
        fc.constantFrom(0, 1, 2),
        async (steps, loadMode, maxLoaded) => {
          const way = await open({ loadMode, maxLoaded })
          await follow(way, new Model(loadMode, maxLoaded), steps)
        },
      ),
      {
        numRuns: 40,
        examples: SELECTED_FIRST.map((steps) => [steps, 'once', 0]),
      },
    )
  })
})
