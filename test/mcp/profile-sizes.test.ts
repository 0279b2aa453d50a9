import { expect, it } from 'vitest'
import { PROFILES, resolveTools, type ProfileName } from '../../src/agent/profiles.ts'
import { makeToolTable } from '../../src/mcp/tools/tool-table.ts'

/** Bytes of the definitions that a client passes to its model with each request. */
const MOST_BYTES: Readonly<Record<ProfileName, number>> = {
  protocol: 4600,
  knowledge: 1200,
  agent: 8700,
  programs: 6800,
}

const RULES = { sandbox: 'session', allowedCommands: [], deniedCommands: [] } as const

it.each(Object.keys(PROFILES) as ProfileName[])(
  'the tools of the profile %s cost a model few bytes',
  (profile) => {
    const { tools } = makeToolTable(resolveTools(profile), RULES)
    const sizes = tools.map(({ name, description, inputSchema }) => {
      const definition = { name, description, inputSchema }
      return [name, Buffer.byteLength(JSON.stringify(definition))] as const
    })
    const bytes = sizes.reduce((sum, [, size]) => sum + size + 1, 1)
    expect(bytes, JSON.stringify(sizes)).toBeLessThanOrEqual(MOST_BYTES[profile])
  },
)
