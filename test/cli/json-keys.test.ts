// @module-tag slow
// @module-tag nightly
import { describe, expect, it, vi } from 'vitest'
import { createSearchPath } from '../helpers/machine.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

// One test runs every command.
vi.setConfig({ testTimeout: 300_000 })

const CAMEL_CASE = /^[a-z0-9]+(?:[A-Z][a-z0-9]*)+$/
/** Values with keys of other formats: manifests, JSON Schemas, tools. */
const FOREIGN = new Set(['manifest', 'json_schema', 'parameters'])

function listCamelKeys(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => listCamelKeys(each, `${path}[]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => {
    if (FOREIGN.has(key)) return []
    const here = `${path}.${key}`
    return [...(CAMEL_CASE.test(key) ? [here] : []), ...listCamelKeys(each, here)]
  })
}

const COMMANDS = [
  'list --long',
  'describe demo.greet --full',
  'read demo.greet SKILL.md',
  'lint',
  'vet demo.greet --run',
  'info demo.greet',
  'rules',
  'rules inputs/undeclared',
  'config',
  'config run.timeout',
  'config set run.timeout 5s',
  'config unset run.timeout',
  'doctor',
  'blobs put skills/greet/SKILL.md',
  'blobs ls',
  'blobs gc',
  'exec demo.greet',
  'exec demo.greet --dry-run',
  'exec demo.greet --repeat 1',
  'runs ls',
  'audit ls',
  'audit verify',
  'policy explain',
  'policy check {"runtime":"shell","timeoutMs":1000}',
  'prompt --tools openai',
  'prompt',
  'tokens',
  'schema skill',
  'grant demo.greet',
  'deps',
]

describe('--json', () => {
  it('has keys in snake_case in the output of every command', async () => {
    const at = {
      cwd: createFolder(prefixPaths('skills/greet', createActionSkill('demo.greet'))),
      env: { HOME: createFolder(), PATH: createSearchPath() },
    }
    const found: Record<string, string[]> = {}
    for (const command of COMMANDS) {
      const { json } = await runSkills([...command.split(' '), '--json'], at)
      const keys = [...new Set(listCamelKeys(json()))]
      if (keys.length > 0) found[command] = keys
    }
    expect(found).toEqual({})
  })
})
