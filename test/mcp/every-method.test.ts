// @module-tag slow
// @module-tag nightly
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { METHODS } from '../../src/core/methods/index.ts'
import { connectClient, type McpConnection } from '../helpers/mcp.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { writeTree, runSkills } from '../helpers/skills.ts'

/** The check of the machine has a test of its own: it may take longer than a client waits. */
const NAMES = METHODS.map(({ name }) => name).filter((name) => name !== 'check_runtime')
const skill = 'demo.greet'

type Results = Record<string, Record<string, unknown>>

/** A valid call of every method, in an order in which each finds what it needs. */
const CALLS: Readonly<Record<string, (results: Results) => Record<string, unknown>>> = {
  load_skills_protocol_guide: () => ({}),
  list_skills: () => ({ detail: 'summary' }),
  describe_skill: () => ({ name: skill, detail: 'full' }),
  read_skill_file: () => ({ name: skill, path: 'SKILL.md' }),
  execute_skill: () => ({ name: skill, args: { name: 'Ada' } }),
  run_code: () => ({ language: 'python', code: 'x = 1', kernel: 'k' }),
  kernel: () => ({ action: 'list' }),
  runs: ({ run_code: { run_id: id } = {} }) => ({ action: 'get', run_id: id }),
  create_blob: () => ({ content: 'x', kind: 'text/plain' }),
  read_blob: ({ create_blob: { blob_id: id } = {} }) => ({ blob_id: id }),
  create_skill: () => ({
    manifest: { name: 'wire.made', version: '0.1.0', description: 'Made.', kind: 'instruction' },
    skill_md: '---\nname: made\ndescription: Made.\n---\n\n# Made\n',
  }),
  'runtime.languages': () => ({}),
  'runtime.execute': () => ({ runtime: 'python', code: 'print("needle")' }),
  'runtime.queryOutput': ({ 'runtime.execute': { artifactHandle } = {} }) => ({
    artifactHandle,
    queryTerms: ['needle'],
  }),
  'runtime.workflow': () => ({
    steps: [{ method: 'runtime.execute', params: { runtime: 'python', code: 'print(1)' } }],
  }),
  skill_load: () => ({ skill }),
  skill_select_docs: () => ({ skill, docs: [] }),
  skill_list_docs: () => ({ skill }),
  skill_context: () => ({}),
  skill_run: () => ({ skill, command: 'echo ran' }),
  skill_exec: () => ({ skill, command: 'cat' }),
  skill_write_stdin: ({ skill_exec: { session_id: id } = {} }) => ({
    session_id: id,
    chars: 'typed',
    submit: true,
  }),
  skill_poll_session: ({ skill_exec: { session_id: id } = {} }) => ({ session_id: id }),
  skill_kill_session: ({ skill_exec: { session_id: id } = {} }) => ({ session_id: id }),
  workspace_exec: () => ({ command: 'echo kept > out/kept.txt; cat', background: true }),
  write_stdin: ({ workspace_exec: { session_id: id } = {} }) => ({
    session_id: id,
    chars: 'typed',
    append_newline: true,
    yield_time_ms: 1000,
  }),
  workspace_read: () => ({ ref: 'out/kept.txt' }),
  workspace_write: () => ({ path: 'work/a.txt', content: 'one' }),
  workspace_replace: () => ({ path: 'work/a.txt', old_text: 'one', new_text: 'two' }),
  workspace_list: () => ({}),
  workspace_list_artifacts: () => ({}),
  workspace_add_files: () => ({ files: [{ name: 'notes.txt', data: 'aGk=' }] }),
  workspace_save_artifact: () => ({ path: 'out/kept.txt' }),
  kill: ({ workspace_exec: { session_id: id } = {} }) => ({ session_id: id }),
  search_skills: () => ({ query: 'greet' }),
  inspect_skill: () => ({ name: skill }),
  lint_skill: () => ({ name: skill }),
  count_skill_tokens: () => ({ name: skill }),
  describe_skill_tools: () => ({ name: skill, format: 'openai' }),
  read_skill_document: () => ({ name: skill, path: 'SKILL.md' }),
  read_blob_document: ({ create_blob: { blob_id: id } = {} }) => ({ blob_id: id }),
  list_run_history: () => ({}),
  get_run_record: ({ execute_skill: { run_id: id } = {} }) => ({ run_id: id }),
  list_nodes: () => ({}),
  list_sessions: () => ({}),
  describe_session: ({ list_sessions: { sessions } = {} }) => ({
    id: (sessions as { id: string }[] | undefined)?.[0]?.id,
  }),
  check_policy: () => ({ skills: [skill] }),
  describe_policy: () => ({}),
  list_audit_records: () => ({}),
  verify_audit_log: () => ({}),
  describe_configuration: () => ({}),
}

describe.each([
  { era: 'modern', transport: 'stdio' },
  { era: 'legacy', transport: 'http' },
] as const)('every method as a tool, over $transport, $era', (connection) => {
  const dir = mkdtempSync(join(tmpdir(), 'skills-test-'))
  let connected: McpConnection
  beforeAll(async () => {
    writeTree(dir, prefixPaths('skills/greet', createActionSkill(skill)))
    const argv = NAMES.flatMap((name) => ['--tool', name])
    connected = await connectClient(connection, { cwd: dir, argv })
  })
  afterAll(async () => {
    await connected.close()
    rmSync(dir, { recursive: true, force: true })
  })

  it('has a call in this test and is offered in the requested order', async () => {
    expect(Object.keys(CALLS).sort()).toEqual([...NAMES].sort())
    const { tools } = await connected.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(NAMES)
  })

  // The official client validates every result against the output schema.
  it('returns a result that matches its schema', async () => {
    const results: Results = {}
    const failed: unknown[] = []
    for (const [name, argumentsOf] of Object.entries(CALLS)) {
      const answer = await connected.client.callTool({ name, arguments: argumentsOf(results) })
      results[name] = (answer.structuredContent ?? {}) as Record<string, unknown>
      if (answer.isError === true) failed.push([name, answer.content])
    }
    expect(failed).toEqual([])
    expect(JSON.stringify(results['runtime.queryOutput'])).toContain('needle')
    expect(results['skill_load']?.['result']).toContain('Says *hello*')
  }, 180_000)

  it('rejects unknown parameters', async () => {
    for (const name of NAMES) {
      const answer = await connected.client.callTool({ name, arguments: { nonsense: 1 } })
      expect({ name, isError: answer.isError }).toEqual({ name, isError: true })
    }
  })
})

describe('skills mcp in a shell', () => {
  it('rejects --json and unknown tools', async () => {
    const json = await runSkills(['mcp', '--json'])
    expect(json.code).toBe(2)
    expect(json.json()).toMatchObject({ error: { code: 'usage/invalid' } })
    const both = await runSkills(['mcp', '--profile', 'agent', '--tool', 'run_cod'])
    expect(both).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/"run_code"/) })
    const none = await runSkills(['mcp', '--profile', 'agnt'])
    expect(none).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/"agent"/) })
  })

  it('answers piped messages and exits', async () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const { code, stdout } = await runSkills(['mcp', '--no-watch'], {
      stdin: `not json\n${JSON.stringify(ping)}\n`,
    })
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: unknown })
    expect(code).toBe(0)
    expect(answers).toEqual([
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32700 }) }),
      { jsonrpc: '2.0', id: 1, result: {} },
    ])
  })
})
