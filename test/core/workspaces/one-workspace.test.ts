// @module-tag slow
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createAgentSession } from '../../../src/agent/session.ts'
import { localHost } from '../../../src/agent/local-host.ts'
import type { ToolChoice } from '../../../src/agent/profiles.ts'
import { callTool } from '../../helpers/agent.ts'
import { findRunners, loadBuiltModulesInRunners } from '../../helpers/runners.ts'
import { createSession } from './in-workspace.ts'

const LANGUAGE = 'python'
const LIST_FILES = 'import os\ndef main(args):\n  return sorted(os.listdir("out"))'

it('shares the files of a session between commands, code, kernels and programs', async () => {
  const { runtime, call, shell, read } = await createSession()
  const session = 's'
  const written = await runtime.runCode(
    {
      session,
      language: LANGUAGE,
      code: 'def main(args):\n  open("out/code.txt", "w").write("code")',
    },
    call,
  )
  expect(written).toMatchObject({ status: 'completed' })
  expect(await shell('cat out/code.txt && echo 1,2 > work/data.csv')).toMatchObject({
    output: 'code',
  })
  const cell = async (code: string) =>
    await runtime.runCode({ session, language: LANGUAGE, code, kernel: 'k' }, call)
  await cell('rows = open("work/data.csv").read().split(",")')
  expect(await cell('open("out/kernel.txt", "w").write(rows[1])\nlen(rows)')).toMatchObject({
    output: 2,
  })
  expect(await read('out/kernel.txt')).toMatchObject({ content: '2\n' })
  const program = await runtime.execute(
    {
      session,
      runtime: 'shell',
      code: 'cat out/kernel.txt; echo more > out/program.txt',
      outputMode: 'summary',
    },
    call,
  )
  expect(program).toMatchObject({ status: 'success', stdoutSummary: '2\n' })
  expect(await shell('cat out/program.txt')).toMatchObject({ output: 'more\n' })
})

it('shows the skills of the session to its code, read-only', async () => {
  const { runtime, call, run } = await createSession()
  await run('true')
  const code = `def main(args):
  text = open("skills/demo/SKILL.md").read()
  try:
    open("skills/demo/SKILL.md", "a")
  except OSError as error:
    return [text[:3], type(error).__name__]`
  const result = await runtime.runCode({ session: 's', language: LANGUAGE, code }, call)
  expect(result?.output).toEqual(['---', 'PermissionError'])
})

it('shows no files to other callers, other sessions, and code without a session', async () => {
  const { runtime, call, shell } = await createSession()
  const list = async (session: string | undefined, name?: string) => {
    const at = { ...call, ...(name !== undefined && { caller: { name } }) }
    const code = 'import os\ndef main(args):\n  return os.path.exists("out/mine.txt")'
    return (await runtime.runCode({ session, language: LANGUAGE, code }, at)).output
  }
  await shell('echo mine > out/mine.txt')
  expect(await list('s')).toBe(true)
  expect(await list('s', 'eve')).toBe(false)
  expect(await list('t')).toBe(false)
  expect(await list(undefined)).toBe(false)
})

it('gives each session its own kernels', async () => {
  const { runtime, call } = await createSession()
  const cell = async (session: string | undefined, code: string) =>
    await runtime.runCode({ session, language: LANGUAGE, code, kernel: 'k' }, call)
  await cell('s', 'own = 1')
  expect(await cell('t', 'own')).toMatchObject({ status: 'failed', error: { type: 'NameError' } })
  expect(await cell(undefined, 'own')).toMatchObject({ status: 'failed' })
  expect(await cell('s', 'own')).toMatchObject({ output: 1 })
  const { kernels } = await runtime.kernel({ session: 't', action: 'list' }, call)
  expect(kernels).toMatchObject([{ kernel: 'k', cells: 1 }])
})

it('ends code and kernels with their session', async () => {
  const { runtime, call, kill, shell } = await createSession()
  const code = 'import time\ndef main(args):\n  open("out/begun", "w").close()\n  time.sleep(600)'
  await runtime.runCode({ session: 's', language: LANGUAGE, code: '1', kernel: 'k' }, call)
  const running = runtime.runCode({ session: 's', language: LANGUAGE, code }, call)
  const ended = expect(running).rejects.toMatchObject({ code: 'run/cancelled' })
  while ((await shell('ls out')).output !== 'begun\n') await sleep(20)
  await kill('*')
  await ended
  expect(await runtime.kernel({ session: 's', action: 'list' }, call)).toEqual({ kernels: [] })
})

it('does not let a start-up file in the session run in its code', async () => {
  const { runtime, call, shell } = await createSession()
  await shell('mkdir -p .config && echo "print(1)" > .pythonrc.py && echo planted > json.py')
  const code = 'import json, os\ndef main(args):\n  return [os.environ["HOME"], json.dumps([1])]'
  const result = await runtime.runCode({ session: 's', language: LANGUAGE, code }, call)
  expect(result?.output).toEqual(['/tmp', '[1]'])
})

it('lets a detached run use the files, but not in a fleet', async () => {
  loadBuiltModulesInRunners()
  const { runtime, call, shell, data } = await createSession()
  const code = 'def main(args):\n  open("out/late.txt", "w").write("late")'
  const request = { session: 's', language: LANGUAGE, code, detach: true }
  const fleet = { ...runtime, startDetached: async () => await Promise.reject(new Error('sent')) }
  const { runCode } = await import('../../../src/core/methods/run-code/handler.ts')
  const refused = runCode(fleet, { ...request, entrypoint: 'main' }, call)
  await expect(refused).rejects.toThrow('A detached run of a fleet sees no files of a session')
  const { run_id: id } = await runtime.runCode(request, call)
  await runtime.getRun({ run_id: id, wait_ms: 50_000 }, call)
  expect((await shell('cat out/late.txt')).output).toBe('late')
  // Its process still writes to the folder of the test, which is removed.
  while (findRunners(data).length > 0) await sleep(20)
})

it('is used by agents with tools for it, and by no others', async () => {
  const { runtime, call } = await createSession()
  const open = (tools: ToolChoice) =>
    createAgentSession({ host: localHost(runtime, { call }), tools, requireLoaded: false })
  const agent = open('agent')
  const files = [{ name: 'rows.csv', data: Buffer.from('1,2') }]
  const [staged] = await agent.addFiles(files)
  const code = `def main(args):\n  return open(${JSON.stringify(staged?.path)}).read()`
  const read = await callTool(agent, 'run_code', { language: LANGUAGE, code })
  expect(read.value).toMatchObject({ output: '1,2' })
  const plain = await callTool(open('protocol'), 'run_code', {
    language: LANGUAGE,
    code: LIST_FILES,
  })
  expect(plain.value).toMatchObject({ status: 'failed' })
})
