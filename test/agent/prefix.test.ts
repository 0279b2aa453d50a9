import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { neutralSkills, type NeutralMessage } from '../../src/agent/adapters/neutral.ts'
import { localHost } from '../../src/agent/local-host.ts'
import { createAgentSession } from '../../src/agent/session.ts'
import { createTestRuntime } from '../helpers/agent.ts'

const NAMES = ['alpha', 'beta', 'gamma', 'delta']
const TREE = Object.fromEntries(
  NAMES.flatMap((name) => [
    [
      `skills/${name}/SKILL.md`,
      `---\nname: ${name}\ndescription: About ${name}.\n---\nBody of ${name}.`,
    ],
    [`skills/${name}/ONE.md`, `One of ${name}.`],
    [`skills/${name}/TWO.md`, `Two of ${name}.`],
  ]),
)

type Step =
  | { kind: 'user' | 'say' }
  | { kind: 'load'; skill: string; docs: string[] }
  | { kind: 'select'; skill: string; docs: string[]; mode: string }

const skill = fc.constantFrom(...NAMES)
const docs = fc.subarray(['ONE.md', 'TWO.md'])
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom<Step>({ kind: 'user' }, { kind: 'say' }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('load' as const), skill, docs }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('select' as const),
      skill,
      docs,
      mode: fc.constantFrom('add', 'replace', 'clear'),
    }),
  },
)

/** Texts of a state, with their calls. */
function placesOf(state: ReturnType<typeof createAgentSession>['state']): string[] {
  return state.agents.flatMap((agent) => agent.parts.map((part) => JSON.stringify(part)))
}

describe('the prefix of requests', () => {
  it('equals the previous request up to the newest change', async () => {
    const { runtime } = await createTestRuntime(TREE)
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 25 }),
        fc.constantFrom('turn', 'session'),
        fc.constantFrom(0, 2),
        async (steps, loadMode, maxLoaded) => {
          const session = createAgentSession({ host: localHost(runtime), loadMode, maxLoaded })
          const skills = neutralSkills(session)
          const messages: NeutralMessage[] = [{ role: 'system', content: 'You help.' }]
          let before: string[] = []
          let shown: string[] = []
          for (const [index, each] of steps.entries()) {
            if (each.kind === 'user') {
              await session.beginTurn()
              messages.push({ role: 'user', content: `Question ${index}` })
            } else if (each.kind === 'say') {
              messages.push({ role: 'assistant', content: `Answer ${index}` })
            } else {
              const { kind, ...args } = each
              const name = kind === 'load' ? 'skill_load' : 'skill_select_docs'
              const reply: NeutralMessage = {
                role: 'assistant',
                content: '',
                calls: [{ id: `c${index}`, name, arguments: args }],
              }
              messages.push(reply, ...(await skills.answer(reply)))
            }
            const request = (await skills.request(messages)).messages.map((m) => JSON.stringify(m))
            const positions = placesOf(session.state)
            // A removed text changes its old position; an added one goes into the last message.
            const removed = shown.filter((part) => !positions.includes(part)).map(callOf)
            const at = Math.min(
              before.length,
              ...removed.map((call) =>
                messages.findIndex((m) => m.role === 'tool' && m.call === call),
              ),
            )
            expect(request.slice(0, at)).toEqual(before.slice(0, at))
            if (removed.length === 0) expect(request.slice(0, before.length)).toEqual(before)
            before = request
            shown = positions
          }
        },
      ),
      { numRuns: 150 },
    )
  }, 60_000)

  it('does not depend on user messages', async () => {
    const { runtime } = await createTestRuntime(TREE)
    const skills = neutralSkills(createAgentSession({ host: localHost(runtime) }))
    const first = await skills.request([{ role: 'user', content: 'All about gamma' }])
    const second = await skills.request([{ role: 'user', content: 'Tell me of delta' }])
    expect(second.messages[0]).toEqual(first.messages[0])
  })

  it('changes at the system message, not before, if loads are placed there', async () => {
    const { runtime } = await createTestRuntime(TREE)
    const session = createAgentSession({
      host: localHost(runtime),
      placement: 'system',
      loadMode: 'session',
    })
    const system = async () => (await session.compose({ length: 1, results: new Set() })).system
    let before = await system()
    for (const [index, name] of ['gamma', 'alpha', 'delta'].entries()) {
      await session.load({ skill: name })
      const now = await system()
      // The first load adds a heading; later ones are appended.
      expect(now.startsWith(before)).toBe(true)
      expect(now.length).toBeGreaterThan(before.length)
      before = now
      expect(session.loaded).toHaveLength(index + 1)
    }
  })
})

function callOf(part: string): string | null {
  return (JSON.parse(part) as { call: string | null }).call
}
