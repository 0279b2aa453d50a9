import { describe, expect, it } from 'vitest'
import { startTestServer } from '../helpers/server.ts'

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

interface Asked {
  isModern: boolean
  method: string
  params: { name?: unknown }
}

/** Returns the raw response of the server. */
async function sendRequest(
  server: Awaited<ReturnType<typeof startTestServer>>,
  { isModern, method, params }: Asked,
): Promise<string> {
  const response = await server.fetch('/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(isModern && {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
      }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: { ...params, ...(isModern && { _meta: META }) },
    }),
  })
  return await response.text()
}

describe.each(['modern', 'legacy'])('an invalid %s request', (era) => {
  it.each<[string, { name?: unknown }, string]>([
    ['resources/read', { uri: 5 } as object, "'params.uri'"],
    ['resources/list', { cursor: {} } as object, "'params.cursor'"],
    ['prompts/get', { name: ['x'] }, "'params.name'"],
    ['tools/call', { name: 'list_skills', arguments: [] }, "'params.arguments'"],
    ['completion/complete', { ref: { type: 'x' }, argument: {} } as object, "'params"],
    ['initialize', { protocolVersion: 7 } as object, "'params"],
    ['logging/setLevel', { level: 'loud' } as object, "'params.level'"],
  ])('returns an error about %s with its code', async (method, params, output) => {
    const server = await startTestServer({ withMcp: {} })
    const isModern = era === 'modern'
    const text = await sendRequest(server, { isModern, method, params })
    const { error } = JSON.parse(text.replace(/^[\s\S]*data: /, '')) as {
      error: { code: number; message: string }
    }
    const isOlder = ['initialize', 'logging/setLevel'].includes(method)
    if (isModern && isOlder) return expect(error.code).toBe(-32601)
    expect(error.code).toBe(-32602)
    expect(error.message).not.toContain('\n')
    expect(error.message).toContain(output)
  })

  it('does not reveal internal details in an unexpected error', async () => {
    const server = await startTestServer({ withMcp: {} })
    server.runtime.loadSkillsProtocolGuide = async () => {
      throw new Error(`ENOENT: no such file, open '${server.dir}/secret/file'`)
    }
    const params = { name: 'skills-protocol-guide' }
    const text = await sendRequest(server, {
      isModern: era === 'modern',
      method: 'prompts/get',
      params,
    })
    expect(text).toContain('-32603')
    expect(text).toContain('"Internal error"')
    expect(text).not.toContain('secret')
  })
})
