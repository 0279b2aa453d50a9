// @module-tag slow
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectClient, waitUntil, selectRoutes, type McpConnection } from '../helpers/mcp.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { writeTree } from '../helpers/skills.ts'

const TOOLS = [
  'list_skills',
  'describe_skill',
  'read_skill_file',
  'execute_skill',
  'run_code',
  'create_blob',
  'read_blob',
  'load_skills_protocol_guide',
]

const python = (code: string) => ({ language: 'python', code })

interface Answer {
  isError?: boolean
  content: { type: string; text?: string; uri?: string; mimeType?: string; size?: number }[]
  structuredContent?: Record<string, unknown>
  _meta?: Record<string, unknown>
}

describe.each(selectRoutes('tools'))('the tools over $transport, $era', (way) => {
  const dir = mkdtempSync(join(tmpdir(), 'skills-test-'))
  let connected: McpConnection
  let client: Client
  beforeAll(async () => {
    writeTree(dir, prefixPaths('skills/greet', createActionSkill('demo.greet')))
    connected = await connectClient(way, { cwd: dir })
    client = connected.client
  })
  afterAll(async () => {
    await connected.close()
    rmSync(dir, { recursive: true, force: true })
  })

  const call = async (name: string, args: Record<string, unknown> = {}): Promise<Answer> =>
    (await client.callTool({ name, arguments: args })) as Answer

  it('are those of the profile in its order, with schemas and correct annotations', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(TOOLS)
    const again = await client.listTools()
    expect(again.tools).toEqual(tools)
    for (const { name, inputSchema, outputSchema, annotations, description } of tools) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      expect(outputSchema).toMatchObject({ type: 'object' })
      expect(description).toBeTruthy()
      const runs = name === 'execute_skill' || name === 'run_code'
      expect(annotations).toMatchObject({
        readOnlyHint: !runs && name !== 'create_blob',
        openWorldHint: runs,
        ...(runs ? { destructiveHint: true } : {}),
        ...(name === 'create_blob' ? { destructiveHint: false } : {}),
      })
    }
  })

  it('come with instructions and the guide as a prompt', async () => {
    expect(client.getInstructions()).toMatch(/MUST call the `load_skills_protocol_guide` tool/)
    expect(client.getServerVersion()).toMatchObject({ name: 'skills-protocol' })
    const { prompts } = await client.listPrompts()
    const { messages } = await client.getPrompt({ name: prompts[0]?.name ?? '' })
    const guide = await call('load_skills_protocol_guide')
    expect(messages).toEqual([
      { role: 'user', content: { type: 'text', text: guide.structuredContent?.['content'] } },
    ])
  })

  // The official client also validates each result against the output schema.
  it('return structured content and the same content as text', async () => {
    const blob = await call('create_blob', { content: 'a\nb\n', kind: 'text/plain' })
    const id = blob.structuredContent?.['blob_id']
    const calls: [string, Record<string, unknown>][] = [
      ['list_skills', { detail: 'summary' }],
      ['describe_skill', { name: 'demo.greet', detail: 'full' }],
      ['read_skill_file', { name: 'demo.greet', path: 'SKILL.md' }],
      ['execute_skill', { name: 'demo.greet', args: { name: 'Ada' } }],
      ['run_code', { ...python('def main(a):\n  return a'), args: { x: [1, null] } }],
      ['read_blob', { blob_id: id, mode: 'full' }],
      ['load_skills_protocol_guide', {}],
    ]
    for (const [name, args] of calls) {
      const { content, structuredContent, isError } = await call(name, args)
      expect({ name, isError: isError ?? false }).toEqual({ name, isError: false })
      expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent)
    }
    const run = await call('execute_skill', { name: 'demo.greet', args: { name: 'Ada' } })
    expect(run.structuredContent).toMatchObject({ output: { greeting: 'Hello, Ada' } })
  })

  it('return the isolation of a run in metadata, not in what a model sees', async () => {
    const { tools } = await client.listTools()
    for (const name of ['run_code', 'execute_skill']) {
      const { outputSchema } = tools.find((each) => each.name === name) ?? {}
      expect(outputSchema?.['properties']).toHaveProperty('run_id')
      expect(JSON.stringify(outputSchema)).not.toContain('isolation')
    }
    const { content, structuredContent, _meta } = await call(
      'run_code',
      python('def main(a):\n  return 1'),
    )
    expect(JSON.stringify({ content, structuredContent })).not.toContain('isolation')
    const details = _meta?.['skills-protocol/details'] as
      | { isolation: { tier: string } }
      | undefined
    const tier = details?.isolation.tier
    expect(tier).toMatch(/^(?:strict|weak|none)$/)
    const { run_id: id } = structuredContent as { run_id: string }
    const { contents } = await client.readResource({ uri: `run://${id}/record` })
    const [{ text }] = contents as unknown as [{ text: string }]
    expect(JSON.parse(text)).toMatchObject({ isolation: { tier } })
  })

  it('return a failed run as a result with isError and all fields', async () => {
    const failed = await call(
      'run_code',
      python('def main(a):\n  print("so far")\n  raise KeyError("x")'),
    )
    expect(failed).toMatchObject({
      isError: true,
      structuredContent: {
        status: 'failed',
        error: { type: 'KeyError' },
        logs_preview: 'so far\n',
      },
    })
  })

  it.each([
    ['execute_skill', { name: 'demo.gret' }, /not found[^]*demo\.greet/],
    ['execute_skill', {}, /missing 'name'/],
    [
      'execute_skill',
      { name: 'demo.greet', timeout_ms: 'soon' },
      /'timeout_ms': expected number, got/,
    ],
    ['execute_skill', { name: 'demo.greet', nmae: 1 }, /unknown parameter 'nmae'[^]*'name'/],
    ['run_code', { language: 'cobol', code: '' }, /'language'/],
    ['read_skill_file', { name: 'demo.greet', path: '../../etc/passwd' }, /leads out/],
    ['read_blob', { blob_id: 'blob:0000' }, /Unknown blob/],
    ['list_skills', { limit: 0 }, /at least 1/],
    ['list_skills', { cursor: 'made up' }, /cursor/],
    ['create_blob', { content: '%%%', kind: 'text/plain', encoding: 'base64' }, /base64/],
  ])('explain to the model what is wrong with %s %j', async (name, args, message) => {
    const { isError, content, structuredContent, _meta: meta } = await call(name, args)
    expect(isError).toBe(true)
    expect(content[0]?.text).toMatch(message)
    // An error must not look like a result.
    expect(structuredContent).toBeUndefined()
    expect(meta?.['skills-protocol/error']).toMatchObject({ code: expect.stringMatching('/') })
    expect(JSON.stringify([content, meta])).not.toContain(dir)
  })

  it('return a protocol error for errors that a model cannot correct', async () => {
    await expect(client.callTool({ name: 'rm_rf' })).rejects.toMatchObject({ code: -32602 })
    await expect(client.callTool({ name: 'rpc.discover' })).rejects.toMatchObject({ code: -32602 })
    await expect(client.callTool({ name: '__proto__' })).rejects.toMatchObject({ code: -32602 })
    await expect(client.getPrompt({ name: 'none' })).rejects.toMatchObject({ code: -32602 })
    for (const uri of [
      'blob:00',
      'run://run_0/logs',
      'skill://none/SKILL.md',
      'file:///etc/passwd',
      'x',
    ]) {
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602 })
    }
  })

  it('link to the blobs, output and logs of a run as resources', async () => {
    const code = [
      'from runtime import blobs',
      'def main(a):',
      '  print("said")',
      '  return [blobs.write_text("ä" * 10, kind="text/plain"), 7]',
    ].join('\n')
    const { content, structuredContent } = await call('run_code', python(code))
    const links = content.filter(({ type }) => type === 'resource_link').map(({ uri }) => uri ?? '')
    expect(links).toHaveLength(3)
    expect(structuredContent).toMatchObject({ output_blobs: [links[0]] })
    const facts = content.filter(({ type }) => type === 'resource_link')
    const texts = []
    for (const { uri = '', mimeType, size } of facts) {
      const { contents } = await client.readResource({ uri })
      const [{ text, mimeType: type }] = contents as unknown as [{ text: string; mimeType: string }]
      expect({ uri, mimeType, size }).toEqual({
        uri,
        mimeType: type,
        size: Buffer.byteLength(text),
      })
      texts.push(text)
    }
    expect(texts[0]).toBe('ä'.repeat(10))
    expect(JSON.parse(texts[1] ?? '')).toEqual([links[0], 7])
    expect(texts[2]).toBe('said\n')
  })

  it('link to stored blobs and large outputs with their MIME types and sizes', async () => {
    const blob = await call('create_blob', { content: 'a,b\n', kind: 'text/csv' })
    expect(blob.content.at(-1)).toMatchObject({ mimeType: 'text/csv', size: 4 })
    const { content } = await call('run_code', python('def main(a):\n  return "x" * 9000'))
    const [large, output] = content.filter(({ type }) => type === 'resource_link')
    expect(large).toMatchObject({ mimeType: 'application/json', size: 9002 })
    const { contents } = await client.readResource({ uri: output?.uri ?? '' })
    const [{ text }] = contents as unknown as [{ text: string }]
    expect(output).toMatchObject({ mimeType: 'application/json', size: Buffer.byteLength(text) })
  })

  it('report progress and log lines during a run', async () => {
    if (way.era === 'legacy') await client.setLoggingLevel('info')
    const logs: unknown[] = []
    client.setNotificationHandler('notifications/message', ({ params }) => {
      logs.push(params)
    })
    const progress: { progress: number; message?: string }[] = []
    const running = client.callTool(
      {
        name: 'run_code',
        arguments: python(
          'import runtime, time, sys\ndef main(a):\n  print("first"); sys.stdout.flush()\n  runtime.progress(1, 2, "page 1")\n  time.sleep(2)\n  return 1',
        ),
        ...(way.era === 'modern' && { _meta: { 'io.modelcontextprotocol/logLevel': 'info' } }),
      },
      { onprogress: (each) => progress.push(each as never) },
    )
    let isOver = false
    void running.finally(() => (isOver = true))
    await waitUntil(() => logs.length > 0 || isOver)
    expect(isOver).toBe(false)
    expect(logs).toContainEqual({ level: 'info', logger: 'stdout', data: 'first' })
    expect(progress.length).toBeGreaterThan(0)
    await running
    const values = progress.map((each) => each.progress)
    expect(values).toEqual([...new Set(values)].sort((a, b) => a - b))
    const messages = progress.map(({ message }) => message)
    expect(messages).toEqual(expect.arrayContaining(['running', 'page 1']))
  })

  it('cancel the run of a cancelled request', async () => {
    const gone = new AbortController()
    const progress: string[] = []
    const running = client.callTool(
      { name: 'run_code', arguments: python('import time\ndef main(a):\n  time.sleep(600)') },
      { signal: gone.signal, onprogress: ({ message }) => progress.push(message ?? '') },
    )
    running.catch(() => {})
    await waitUntil(() => progress.includes('running'))
    gone.abort()
    await expect(running).rejects.toThrow()
    // Its place in the queue is free again, and its record has its outcome.
    const { structuredContent } = await call('run_code', python('def main(a):\n  return 1'))
    expect(structuredContent).toMatchObject({ status: 'completed' })
  })

  it('answer a hundred parallel calls', async () => {
    const calls = Array.from({ length: 100 }, async (_, at) =>
      at % 10 === 0
        ? await call('execute_skill', { name: 'demo.greet', args: { name: `n${at}` } })
        : at % 10 === 1
          ? await call('execute_skill', { name: `none.${at}` })
          : await call('describe_skill', { name: 'demo.greet' }),
    )
    const answers = await Promise.all(calls)
    for (const [at, { isError, structuredContent }] of answers.entries()) {
      if (at % 10 === 0) {
        expect(structuredContent).toMatchObject({ output: { greeting: `Hello, n${at}` } })
      } else expect(isError ?? false).toBe(at % 10 === 1)
    }
  })
})
