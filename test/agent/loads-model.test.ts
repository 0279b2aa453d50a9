import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { localHost } from '../../src/agent/local-host.ts'
import { createAgentSession, type AgentSession } from '../../src/agent/session.ts'
import type { LoadMode } from '../../src/core/loads/session-state.ts'
import { testRuntime, use } from '../helpers/agent.ts'

const NAMES = ['alpha', 'beta', 'gamma']
const DOCS = ['ONE.md', 'TWO.md']
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

const skill = fc.constantFrom(...NAMES)
const docs = fc.subarray(DOCS)
const all = fc.boolean()
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('load' as const),
      skill,
      docs,
      include_all_docs: all,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('select' as const),
      skill,
      docs,
      include_all_docs: all,
      mode: fc.constantFrom('add', 'replace', 'clear'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('turn' as const),
      loads: fc.uniqueArray(fc.record({ name: skill, docs }, { requiredKeys: ['name'] }), {
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

interface Known {
  docs: Set<string>
  isLoaded: boolean
  isRead: boolean
  /** Texts that a request shows; the number of the request that did, where each is shown once. */
  parts: Map<string, number | undefined>
}

/** What is loaded, written down as simply as it can be said. */
class Model {
  readonly skills = new Map<string, Known>()
  readonly mode: LoadMode
  readonly most: number

  constructor(mode: LoadMode, most: number) {
    this.mode = mode
    this.most = most
  }

  load(name: string, wanted: readonly string[] | undefined): void {
    const skill = this.touch(name)
    if (wanted) skill.docs = new Set(wanted)
    skill.isLoaded = true
    skill.isRead = true
    this.show(skill, [name, ...skill.docs])
    this.prune(name, skill)
    this.evict()
  }

  select(name: string, { mode, ...step }: { mode: string; docs: string[]; all: boolean }): void {
    const skill = this.touch(name)
    const asked = mode === 'clear' ? [] : step.all ? DOCS : step.docs
    skill.docs = new Set(mode === 'add' ? [...skill.docs, ...asked] : asked)
    if (this.mode === 'once' && skill.isRead && asked.length > 0) skill.isLoaded = true
    if (skill.isLoaded) this.show(skill, this.mode === 'once' ? asked : [name, ...skill.docs])
    this.prune(name, skill)
    this.evict()
  }

  turn(): void {
    if (this.mode === 'turn') for (const skill of this.skills.values()) this.forget(skill)
  }

  request(length: number): void {
    if (this.mode !== 'once') return
    for (const skill of this.skills.values()) {
      for (const [part, at] of skill.parts) {
        if (at !== undefined && at !== length) skill.parts.delete(part)
        else skill.parts.set(part, length)
      }
      if (skill.parts.size === 0) this.forget(skill)
    }
  }

  get loaded(): string[] {
    return [...this.skills].filter(([, each]) => each.isLoaded).map(([name]) => name)
  }

  get texts(): string[] {
    return [...this.skills].flatMap(([name, { parts }]) =>
      [...parts.keys()].map((part) => (part === name ? `<${name}>` : `<${name}/${part}>`)),
    )
  }

  private touch(name: string): Known {
    const skill = this.skills.get(name) ?? {
      docs: new Set<string>(),
      isLoaded: false,
      isRead: false,
      parts: new Map<string, number | undefined>(),
    }
    this.skills.delete(name)
    this.skills.set(name, skill)
    return skill
  }

  private show(skill: Known, texts: readonly string[]): void {
    for (const part of texts) skill.parts.set(part, undefined)
  }

  private prune(name: string, skill: Known): void {
    for (const part of skill.parts.keys()) {
      if (part !== name && !skill.docs.has(part)) skill.parts.delete(part)
    }
  }

  private evict(): void {
    const loaded = [...this.skills.values()].filter((each) => each.isLoaded)
    if (this.most === 0) return
    for (const skill of loaded.slice(0, Math.max(0, loaded.length - this.most))) this.forget(skill)
  }

  private forget(skill: Known): void {
    skill.isLoaded = false
    skill.docs = new Set()
    skill.parts = new Map()
  }
}

/** One way to reach what is tested. */
interface Way {
  load(args: object, call: string): Promise<unknown>
  select(args: object, call: string): Promise<unknown>
  turn(loads: readonly { name: string; docs?: string[] }[]): Promise<unknown>
  request(length: number, results: readonly string[]): Promise<string>
  loaded(): Promise<readonly string[]>
}

async function throughLibrary(options: { loadMode: LoadMode; maxLoaded: number }): Promise<Way> {
  const { runtime } = await testRuntime(TREE)
  const make = (state?: unknown) =>
    createAgentSession({ host: localHost(runtime), ...options, ...(state ? { state } : {}) })
  let session: AgentSession = make()
  return {
    load: async (args, call) => await use(session, 'skill_load', args, call),
    select: async (args, call) => await use(session, 'skill_select_docs', args, call),
    turn: async (loads) => await session.beginTurn({ loads }),
    request: async (length, results) => {
      const composed = await session.compose({ length, results: new Set(results) })
      // Every request is the last one of a process: the next goes on from what was stored.
      session = make(JSON.parse(JSON.stringify(session.state)))
      return [composed.system, ...composed.results.values()].join('\n')
    },
    loaded: async () => session.loaded,
  }
}

async function overTheWire(options: { loadMode: LoadMode; maxLoaded: number }): Promise<Way> {
  const { runtime } = await testRuntime(TREE)
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

async function follow(way: Way, model: Model, steps: readonly Step[]): Promise<void> {
  const calls: string[] = []
  let length = 0
  for (const [index, step] of steps.entries()) {
    const call = `c${index}`
    if (step.kind === 'load') {
      const { kind: _, ...args } = step
      expect(await way.load(args, call)).not.toMatchObject({ isError: true })
      calls.push(call)
      model.load(
        step.skill,
        step.include_all_docs ? DOCS : step.docs.length > 0 ? step.docs : undefined,
      )
    } else if (step.kind === 'select') {
      const { kind: _, ...args } = step
      expect(await way.select(args, call)).not.toMatchObject({ isError: true })
      calls.push(call)
      model.select(step.skill, { ...step, all: step.include_all_docs })
    } else if (step.kind === 'turn') {
      const tooMany = model.most > 0 && step.loads.length > model.most
      const loads = tooMany ? [] : step.loads
      await way.turn(loads)
      model.turn()
      for (const { name, docs: named } of loads) model.load(name, named)
    } else if (step.kind === 'fail') {
      const wrong = { skill: 'alpha', docs: ['NONE.md'] }
      expect(await way.load(wrong, call)).toMatchObject({ isError: true })
      expect(await way.select(wrong, call)).toMatchObject({ isError: true })
    } else {
      if (!step.isAgain) length += 2
      model.request(length)
      const text = await way.request(length, step.seen ? calls : [])
      const shown = text.match(/<[^>]+>/g) ?? []
      expect([...shown].sort()).toEqual(model.texts.sort())
    }
    if (model.mode !== 'once') expect(await way.loaded()).toEqual(model.loaded)
  }
}

describe('what is loaded after any calls in any order', () => {
  it.each([
    ['through the library', throughLibrary],
    ['over the wire', overTheWire],
  ] as const)('is what a simple model says, %s', { timeout: 120_000 }, async (_name, open) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 20 }),
        fc.constantFrom<LoadMode>('turn', 'once', 'session'),
        fc.constantFrom(0, 1, 2),
        async (steps, loadMode, maxLoaded) => {
          const way = await open({ loadMode, maxLoaded })
          await follow(way, new Model(loadMode, maxLoaded), steps)
        },
      ),
      { numRuns: 60 },
    )
  })
})
