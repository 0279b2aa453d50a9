import { describe, expect, it } from 'vitest'
import { resolveTools } from '../../../src/agent/profiles.ts'
import { addCallerParams } from '../../../src/mcp/tools/caller-params.ts'
import { makeToolTable } from '../../../src/mcp/tools/tool-table.ts'

const methods = resolveTools('knowledge')
const [load, select, list] = methods as never as [never, never, never]

describe('tools with session state, over MCP', () => {
  it('have no session parameters', () => {
    const [tool] = makeToolTable(methods).tools
    expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual([
      'skill',
      'docs',
      'include_all_docs',
    ])
    expect(tool?.inputSchema.required).toEqual(['skill'])
  })

  it('wrap non-object results in an object schema', () => {
    const promised = makeToolTable(methods).tools.map((tool) => tool.outputSchema?.['type'])
    expect(promised).toEqual(['object', 'object', 'object'])
  })

  it('return the content and use the session of the connection', () => {
    const params = addCallerParams(load, { skill: 'demo' }, 's1')
    expect(params).toEqual({ skill: 'demo', session: 's1', include_content: true })
    expect(addCallerParams(list, { skill: 'demo' }, 's1')).not.toHaveProperty('include_content')
    expect(addCallerParams(select, { session: 'mine' }, 's1')).toMatchObject({ session: 'mine' })
    expect(addCallerParams(load, undefined)).toHaveProperty('session')
    expect(addCallerParams(load, ['demo'], 's1')).toEqual(['demo'])
  })
})
