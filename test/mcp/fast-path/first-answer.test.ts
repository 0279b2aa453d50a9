import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { join } from 'node:path'
import { COMMAND_TOOLS } from '../../../src/core/skill-context/prompt/command-rules.ts'
import { PROFILES, resolveTools, type ProfileName } from '../../../src/agent/profiles.ts'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { createRuntime } from '../../../src/core/runtime.ts'
import { PROTOCOL_PROMPT } from '../../../src/core/skill-context/prompt/protocol-prompt.ts'
import {
  answerFirstRequest,
  LEGACY_VERSIONS,
  MODERN_VERSIONS,
  type FirstRequestFacts,
} from '../../../src/mcp/stdio/fast-path/first-answer.ts'
import { readKnownTools } from '../../../src/mcp/stdio/fast-path/known-tools.ts'
import { LineTransport } from '../../../src/mcp/stdio/line-transport.ts'
import { serveMcpStdio } from '../../../src/mcp/stdio/serve-stdio.ts'
import { writeKnownTools } from '../../../src/mcp/tools/write-known-tools.ts'
import { openLocalCaller } from '../../../src/server/rpc/local-caller.ts'
import { SILENT_LOG } from '../../../src/server/telemetry/request-log.ts'
import { createFolder } from '../../helpers/skills.ts'

const VERSION = '1.2.3'
const CLIENT = { name: 'test', version: '1' }

const initialize = (protocolVersion: unknown, more: object = {}) => ({
  jsonrpc: '2.0',
  id: 'first',
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: CLIENT, ...more },
})

const discover = (protocolVersion: unknown, more: object = {}) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'server/discover',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': protocolVersion,
      'io.modelcontextprotocol/clientInfo': CLIENT,
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      ...more,
    },
  },
})

const request = (method: string, params?: object) => ({
  jsonrpc: '2.0',
  id: 'asked',
  method,
  ...(params && { params }),
})

/** Writes the file as the build does. */
function writeToolsFile(): string {
  const file = join(createFolder(), 'known-tools.json')
  writeKnownTools(file)
  return file
}

function runsCommands(profile: string): boolean {
  return PROFILES[profile as ProfileName].some((name) => COMMAND_TOOLS.has(name))
}

function buildFacts(profile: ProfileName, file = writeToolsFile()): FirstRequestFacts {
  const tools = () => readKnownTools(profile, file)
  return { version: VERSION, hasGuide: profile === 'protocol', tools }
}

/** Returns the server's response to one message, with the fast path on or off. */
async function readResponse(
  message: object,
  isEarly: boolean,
  profile: ProfileName = 'protocol',
): Promise<string[]> {
  const dir = createFolder()
  const { config } = await loadConfig({ cwd: dir, env: { HOME: dir }, flags: {}, noFiles: true })
  const runtime = createRuntime({ config })
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  let text = ''
  stdout.on('data', (chunk) => (text += String(chunk)))
  const transport = new LineTransport({ stdin, stdout, maxBytes: 1e6, maxValues: 1000 })
  stdin.write(`${JSON.stringify(message)}\n`)
  await transport.waitForFirstMessage()
  if (isEarly) transport.answerEarly((first) => answerFirstRequest(first, buildFacts(profile)))
  const early = text
  const { caller } = openLocalCaller({
    runtime,
    cwd: dir,
    env: {},
    allowNetwork: false,
    log: SILENT_LOG,
  })
  const methods = resolveTools(profile)
  const instructions = () => PROTOCOL_PROMPT
  const options = { runtime, version: VERSION, methods, instructions, onNotice: () => {} }
  serveMcpStdio(options, caller, transport)
  stdin.end()
  await transport.closed
  if (isEarly) expect(early).not.toBe('')
  return text.split('\n').filter((line) => line !== '')
}

describe('the fast path for the first MCP request', () => {
  it.each([
    ...LEGACY_VERSIONS.map((version) => initialize(version)),
    initialize('1999-01-01'),
    initialize('2025-11-25', { capabilities: { roots: { listChanged: true }, sampling: {} } }),
    discover(MODERN_VERSIONS[0]),
    ...['tools/list', 'prompts/list'].flatMap((method) => [
      { ...discover(MODERN_VERSIONS[0]), method },
      request(method),
      request(method, {}),
    ]),
    request('ping'),
  ])('returns the same as the SDK, once: $method $params.protocolVersion', async (message) => {
    const early = await readResponse(message, true)
    expect(early).toHaveLength(1)
    expect(early).toEqual(await readResponse(message, false))
  })

  it.each(Object.keys(PROFILES).filter((name) => !runsCommands(name)) as ProfileName[])(
    'lists the tools of the profile %s as the SDK does',
    async (profile) => {
      const early = await readResponse(request('tools/list'), true, profile)
      const first = JSON.parse(early[0] ?? '') as { result: { tools: { name: string }[] } }
      expect(first.result.tools.map(({ name }) => name)).toEqual(PROFILES[profile])
      expect(early).toEqual(await readResponse(request('tools/list'), false, profile))
    },
  )

  it('leaves tools to the SDK if nothing was built, and everything that depends on skills', () => {
    expect(readKnownTools('protocol', join(createFolder(), 'none.json'))).toBeUndefined()
    expect(readKnownTools('toString', writeToolsFile())).toBeUndefined()
    // Their descriptions depend on the configuration.
    for (const name of Object.keys(PROFILES).filter(runsCommands))
      expect(readKnownTools(name, writeToolsFile()), name).toBeUndefined()
    const facts = { ...buildFacts('protocol'), tools: () => undefined }
    expect(answerFirstRequest(request('tools/list'), facts)).toBeUndefined()
    expect(answerFirstRequest(initialize('2025-11-25'), buildFacts('agent'))).toBeUndefined()
    expect(answerFirstRequest(discover(MODERN_VERSIONS[0]), buildFacts('agent'))).toBeUndefined()
  })

  it('knows the same revisions as the SDK', () => {
    const legacy = SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version < '2026')
    expect(LEGACY_VERSIONS).toEqual(legacy)
  })

  it.each([
    ['a request of another kind', request('resources/list')],
    ['a page of tools', request('tools/list', { cursor: 'next' })],
    ['a ping of the newer protocol', { ...discover(MODERN_VERSIONS[0]), method: 'ping' }],
    ['tools of a revision to come', { ...discover('2030-01-01'), method: 'tools/list' }],
    ['a notification', { jsonrpc: '2.0', method: 'tools/list' }],
    ['no request', { jsonrpc: '2.0', method: 'initialize', params: {} }],
    ['no client', initialize('2025-11-25', { clientInfo: undefined })],
    ['no version', initialize(7)],
    ['invalid capabilities', initialize('2025-11-25', { capabilities: [] })],
    ['roots that are a list', initialize('2025-11-25', { capabilities: { roots: [] } })],
    ['a revision to come', discover('2030-01-01')],
    [
      'a client without a name',
      discover(MODERN_VERSIONS[0], { 'io.modelcontextprotocol/clientInfo': {} }),
    ],
  ])('leaves %s to the SDK', (_, message) => {
    expect(answerFirstRequest(message as never, buildFacts('protocol'))).toBeUndefined()
  })

  it('returns the same as the SDK for every message it answers', async () => {
    const NAMES = ['roots', 'sampling', 'elicitation', 'extensions', 'experimental', 'tasks', 'x']
    const member = fc.constantFrom('listChanged', 'form', 'applyDefaults', 'context', 'x')
    const value = fc.oneof(fc.constant({}), fc.boolean(), fc.jsonValue({ maxDepth: 1 }))
    const group = fc.dictionary(member, fc.oneof(value, fc.dictionary(member, value)), {
      maxKeys: 2,
    })
    const object = fc.dictionary(fc.constantFrom(...NAMES), fc.oneof(group, value), { maxKeys: 2 })
    const meta = fc.dictionary(fc.constantFrom('progressToken', 'x'), value, { maxKeys: 1 })
    const version = fc.constantFrom(...LEGACY_VERSIONS, ...MODERN_VERSIONS, '1999-01-01', '', 7)
    const info = fc.record(
      { name: fc.string(), version: fc.string(), title: fc.string(), websiteUrl: value },
      { requiredKeys: ['name', 'version'] },
    )
    const usual = fc.oneof(
      version.map((each) => initialize(each).params),
      version.map((each) => discover(each).params),
      fc.constantFrom(undefined, {}),
    )
    const messages = fc.record({
      jsonrpc: fc.constant('2.0'),
      id: fc.oneof(fc.string({ unit: 'binary' }), fc.maxSafeInteger()),
      method: fc.constantFrom(
        'initialize',
        'server/discover',
        'tools/list',
        'prompts/list',
        'ping',
      ),
      params: fc.oneof(
        { weight: 3, arbitrary: usual },
        {
          weight: 3,
          arbitrary: fc.record({
            protocolVersion: version,
            capabilities: object,
            clientInfo: info,
          }),
        },
        version.chain((each) => meta.map((more) => initialize(each, { _meta: more }).params)),
        version.chain((each) => meta.map((more) => discover(each, more).params)),
        version.chain((each) =>
          object.map(
            (more) => discover(each, { 'io.modelcontextprotocol/clientCapabilities': more }).params,
          ),
        ),
        object,
      ),
    })
    const facts = buildFacts('protocol')
    let answered = 0
    await fc.assert(
      fc.asyncProperty(messages, async ({ params, ...rest }) => {
        const message = params === undefined ? rest : { ...rest, params }
        if (answerFirstRequest(message, facts) === undefined) return
        answered += 1
        expect(await readResponse(message, true)).toEqual(await readResponse(message, false))
      }),
      { numRuns: 300 },
    )
    expect(answered).toBeGreaterThan(20)
  })
})
