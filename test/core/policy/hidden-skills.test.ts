import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isSkillDenied, widenRules } from '../../../src/core/policy/denied-skills.ts'
import { METHODS_BY_NAME } from '../../../src/core/methods/index.ts'
import { callMethod, type Method } from '../../../src/core/methods/method.ts'
import { createRuntime } from '../../../src/core/runtime.ts'
import { localHost } from '../../../src/agent/local-host.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createRuntimeIn } from '../runs/run-python.ts'
import { createPolicy } from './policies.ts'

const describeSkillFile = (name: string) =>
  `---\nname: ${name}\ndescription: The skill ${name}.\n---\nBody of ${name}.\n`
const SKILLS = {
  'skills/open/SKILL.md': describeSkillFile('open'),
  'skills/internal/SKILL.md': describeSkillFile('internal'),
}
const FOR_ALICE = `[[rules]]\nname = "internal"\nrefuse = "Not for alice"\nwhen = { tokens = ["alice"], skills = ["internal"] }\n`

async function createRestricted(policy: string) {
  const home = createFolder({ ...SKILLS, 'policy.toml': policy })
  const { config } = await createRuntimeIn(home, {
    roots: [join(home, 'skills')],
    'policy.file': join(home, 'policy.toml'),
  })
  const runtime = createRuntime({ config, cacheDir: null })
  const as = (name: string) => ({ cwd: home, env: {}, caller: { door: 'http', name } as const })
  const call = async (name: string, method: string, params: object) =>
    await callMethod(runtime, METHODS_BY_NAME.get(method) as Method, { params, call: as(name) })
  return { runtime, as, call }
}

/** Every way to read about a skill, with the parameters that name it. */
const READS: readonly (readonly [method: string, params: object])[] = [
  ['describe_skill', { name: 'internal' }],
  ['describe_skill', { name: 'internal', version: '0.0.0' }],
  ['read_skill_file', { name: 'internal', path: 'SKILL.md' }],
  ['inspect_skill', { name: 'internal' }],
  ['read_skill_document', { name: 'internal', path: 'SKILL.md' }],
  ['lint_skill', { name: 'internal' }],
  ['count_skill_tokens', { name: 'internal' }],
  ['describe_skill_tools', { name: 'internal' }],
  ['skill_load', { session: 's', skill: 'internal' }],
  ['skill_list_docs', { session: 's', skill: 'internal' }],
]
const LISTS: readonly (readonly [method: string, params: object])[] = [
  ['list_skills', {}],
  ['list_skills', { detail: 'summary', limit: 1 }],
  ['search_skills', { query: 'internal' }],
]

describe('a skill that a policy denies to a caller', () => {
  it.each(READS)('is not found by %s %j, and is by another caller', async (method, params) => {
    const { call } = await createRestricted(FOR_ALICE)
    const unknown = JSON.parse(JSON.stringify(params).replace('internal', 'nonexistent')) as object
    const read = async (name: string, given: object) =>
      await call(name, method, given).then(JSON.stringify, (error: Error) => error.message)
    const denied = await read('alice', params)
    // The answer does not differ from that of a skill that does not exist.
    expect(denied).toBe((await read('alice', unknown)).replaceAll('nonexistent', 'internal'))
    expect(await read('bob', params)).not.toBe(denied)
  })

  it.each(LISTS)(
    'is not listed by %s %j, also after another caller has listed it',
    async (method, params) => {
      const { call } = await createRestricted(FOR_ALICE)
      const list = async (name: string) => JSON.stringify(await call(name, method, params))
      expect(await list('bob')).toContain('internal')
      expect(await list('alice')).not.toContain('The skill internal')
      expect(await list('alice')).not.toContain('"internal"')
      expect(await list('bob')).toContain('internal')
    },
  )

  it('is not in the system prompt of its agent', async () => {
    const { runtime, as } = await createRestricted(FOR_ALICE)
    const names = async (name: string) =>
      (await localHost(runtime, { call: as(name) }).skills()).map((each) => each.name).sort()
    expect(await names('alice')).toEqual(['open', 'skills.protocol.guide'])
    expect(await names('bob')).toEqual(['internal', 'open', 'skills.protocol.guide'])
  })

  it('is denied, and not missing, when it is run: the denial is audited', async () => {
    const { call } = await createRestricted(FOR_ALICE)
    const run = call('alice', 'skill_run', { session: 's', skill: 'internal', command: 'true' })
    await expect(run).rejects.toMatchObject({ code: 'policy/denied' })
  })
})

describe('a policy', () => {
  const alice = { door: 'http', caller: 'alice' }

  it.each([
    ['a list of denied skills', '[deny]\nskills = ["x"]\n', true],
    ['a list of allowed skills', '[allow]\nskills = ["y"]\n', true],
    [
      'a rule for this caller',
      '[[rules]]\nname = "r"\nrefuse = "No"\nwhen = { tokens = ["alice"], skills = ["x"] }\n',
      true,
    ],
    [
      'a rule for another caller',
      '[[rules]]\nname = "r"\nrefuse = "No"\nwhen = { tokens = ["bob"], skills = ["x"] }\n',
      false,
    ],
    [
      'a rule for one kind of run',
      '[[rules]]\nname = "r"\nrefuse = "No"\nwhen = { kinds = ["run_code"], skills = ["x"] }\n',
      false,
    ],
    [
      'a refusal of every run',
      '[[rules]]\nname = "r"\nrefuse = "No"\nwhen = { tokens = ["alice"] }\n',
      false,
    ],
  ])('with %s: %#', (_, toml, isDenied) => {
    expect(isSkillDenied(createPolicy(toml), alice, 'x@1.0.0')).toBe(isDenied)
  })

  it('hides from what all callers share what it denies to any of them', () => {
    const policy = createPolicy(FOR_ALICE)
    const bob = { door: 'mcp', caller: 'bob' }
    expect(isSkillDenied(policy, bob, 'internal@0.0.0')).toBe(false)
    expect(isSkillDenied(widenRules(policy), bob, 'internal@0.0.0')).toBe(true)
    expect(isSkillDenied(widenRules(policy), bob, 'open@0.0.0')).toBe(false)
  })
})
