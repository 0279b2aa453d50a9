// @module-tag slow
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runChild } from '../../helpers/child.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createProject, missing, node } from './project.ts'

const TSC = join(import.meta.dirname, '../../../node_modules/typescript/bin/tsc')
const MARKER = 'only on the host'
const NOT_FOUND = /^cat: .*: No such file or directory\n/

interface Outcome {
  /** Results of the tools that the scripted model called; the second call reads a file of the host. */
  outputs: unknown[]
  final: string
  [name: string]: unknown
}

/** Runs an agent of a framework with a scripted model, in a project of a user; returns what it printed. */
async function runScenario(name: string): Promise<Outcome> {
  const project = createProject()
  const home = createFolder({ 'secret.txt': MARKER })
  const script = `test/examples/frameworks/scenarios/${name}.ts`
  const { code, stdout, stderr } = await runChild(node, [script, join(home, 'secret.txt')], {
    cwd: project,
    env: { HOME: home, NODE_NO_WARNINGS: '1' },
  })
  expect(stderr).toBe('')
  expect(code).toBe(0)
  expect(stdout).not.toContain(MARKER)
  const outcome = JSON.parse(stdout) as Outcome
  expect(outcome.final).toBe('done')
  return outcome
}

describe.skipIf(missing !== undefined && !process.env['CI'])(
  `the sandbox in frameworks for agents${missing ? ` (not run: ${missing})` : ''}`,
  () => {
    it('the adapters have the types that the frameworks declare', async () => {
      const argv = [TSC, '-p', createProject()]
      const { code, stdout } = await runChild(process.execPath, argv, { cwd: '/', env: {} })
      expect(stdout).toBe('')
      expect(code).toBe(0)
    })

    it('the control: without a sandbox, the same command prints the file of the host', async () => {
      const home = createFolder({ 'secret.txt': MARKER })
      const { stdout } = await runChild('cat', ['secret.txt'], { cwd: home, env: {} })
      expect(stdout).toBe(MARKER)
    })

    it('an agent of the OpenAI Agents SDK executes commands, edits files and types into a terminal', async () => {
      const { outputs, ...rest } = await runScenario('openai-agents')
      const texts = outputs.map((output) => (typeof output === 'string' ? output : ''))
      const ends = texts.map((text) => text.replace(/^Wall time: .*\n/, ''))
      expect(ends).toEqual([
        '',
        '',
        '',
        '',
        'Process exited with code 3\nOutput:\nfrom the manifest\ngreen\n',
        expect.stringMatching(/^Process exited with code 1\nOutput:\ncat: .*: No such file/),
        'Process exited with code 0\nOutput:\none\nthree',
        'Process running with session ID 4\nOutput:\n',
        'Process exited with code 0\nOutput:\ntyped\ngot typed\n',
        'write_stdin failed: no command has the session id 9',
        '',
      ])
      expect(outputs.at(-1)).toMatchObject({ image: { mediaType: 'image/png' } })
      expect(rest).toMatchObject({
        listed: expect.arrayContaining([{ name: 'a.txt', path: 'src/a.txt', type: 'file' }]),
        found: [true, false],
        kept: 'one\nthree',
      })
      expect(JSON.stringify(rest['listed'])).not.toContain('c.txt')
    })

    it('an agent of the AI SDK uses the sandbox that its tools get', async () => {
      const { outputs, ...rest } = await runScenario('ai-sdk')
      expect(outputs).toEqual([
        { exitCode: 3, stdout: 'out\n', stderr: 'err\n' },
        { exitCode: 1, stdout: '', stderr: expect.stringMatching(NOT_FOUND) },
        { exitCode: 0, stdout: 'one\ntwo\nthree\n/workspace\n', stderr: '' },
      ])
      expect(rest).toEqual({
        final: 'done',
        lines: 'two\n',
        same: true,
        missing: [null, null, null, false],
        stats: [{ type: 'file', size: 14 }, 'directory'],
        listed: [{ name: 'a.txt', type: 'file' }],
        empty: [],
        deleted: [true, null],
        rejected: ['rejected', 'rejected', 'rejected'],
        printed: 'begun\nended\n',
        exitCode: 4,
        reason: 'enough',
      })
    })

    it('an agent of LangChain calls the tools of a session, and reads the rest of a long output', async () => {
      const { outputs, names } = await runScenario('langchain')
      const results = outputs.map((output) => JSON.parse(String(output)) as object)
      expect(results).toMatchObject([
        { status: 'exited', output: 'out\n', exit_code: 3 },
        { output: expect.stringMatching(NOT_FOUND), exit_code: 1 },
        { truncated: true },
        { excerpts: [{ lineStart: 20_000, content: '20000' }] },
      ])
      expect(names).toContain('workspace_exec')
    })

    it('a deep agent executes commands and edits files in the sandbox', async () => {
      const { outputs, uploaded, files } = await runScenario('deepagents')
      expect(outputs).toEqual([
        'out\nerr\n\n[Command failed with exit code 3]',
        expect.stringMatching(NOT_FOUND),
        expect.stringContaining('Successfully wrote'),
        expect.stringContaining('Successfully replaced 1'),
        expect.stringMatching(/^42\n/),
        expect.stringContaining('x = 42'),
        '/workspace/src/a.py (16 bytes)',
        '/workspace/src/a.py:\n  1: x = 42',
      ])
      expect(uploaded).toEqual([
        { path: '/workspace/bin', error: null },
        { path: '/etc/x', error: 'invalid_path' },
      ])
      expect(files).toEqual([true, 'file_not_found', 'invalid_path'])
    })

    it('an agent of Mastra executes commands in its workspace', async () => {
      const { outputs, ...rest } = await runScenario('mastra')
      expect(outputs).toEqual([
        expect.stringMatching(/out\n[^]*err\n[^]*Exit code: 3/),
        expect.stringMatching(/cat: .*: No such file[^]*Exit code: 1/),
        'a note\n/workspace\n',
      ])
      expect(rest).toMatchObject({
        direct: { success: true, stdout: "it's", exitCode: 0 },
        late: { success: false, timedOut: true },
        status: 'destroyed',
      })
    })
  },
)
