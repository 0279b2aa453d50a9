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
    const at = { sessionId: 's1', offered: new Set<string>() }
    const params = addCallerParams(load, { skill: 'demo' }, at)
    expect(params).toEqual({ skill: 'demo', session: 's1', include_content: true })
    expect(addCallerParams(list, { skill: 'demo' }, at)).not.toHaveProperty('include_content')
    expect(addCallerParams(select, { session: 'mine' }, at)).toMatchObject({ session: 'mine' })
    expect(addCallerParams(load, undefined, { ...at, sessionId: undefined })).toHaveProperty(
      'session',
    )
    expect(addCallerParams(load, ['demo'], at)).toEqual(['demo'])
  })

  it('give code the session where tools keep its files or kernels', () => {
    const [code] = resolveTools(['run_code']) as never as [never]
    const add = (offered: readonly string[]) =>
      addCallerParams(code, {}, { sessionId: 's1', offered: new Set(offered) })
    expect(add(['run_code', 'skill_load'])).toEqual({})
    for (const each of ['workspace_exec', 'workspace_read', 'skill_run', 'kernel']) {
      expect(add(['run_code', each])).toEqual({ session: 's1' })
    }
  })
})
