// @module-tag slow
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createAgentSession, localHost } from '../../src/agent/index.ts'
import { loadConfig } from '../../src/core/config/load-config.ts'
import { createRuntime } from '../../src/core/runtime.ts'
import { sandboxExecutor } from '../../src/executors/index.ts'
import { createFolder } from '../helpers/skills.ts'
import { SKILL_TOOLS } from '../helpers/agent.ts'

const MARKDOWN = '---\nname: demo.say\ndescription: Says.\n---\nRun `sh say.sh`.\n'

it('a session of an agent runs the commands of a skill in the executor, and gets the files', async () => {
  const home = createFolder({
    'skills/say/SKILL.md': MARKDOWN,
    'skills/say/say.sh': 'echo said; cat "$WORK_DIR/input" > "$OUTPUT_DIR/said.txt"',
  })
  const env = { PATH: process.env['PATH'], HOME: home }
  const flags = { roots: [join(home, 'skills')] }
  const { config } = await loadConfig({ cwd: home, env, noFiles: true, flags })
  const runtime = createRuntime({ config, executor: sandboxExecutor({ env }) })
  const host = localHost(runtime, { call: { cwd: home, env } })
  const session = createAgentSession({ host, id: 's', tools: SKILL_TOOLS, requireLoaded: false })
  await session.call({
    id: '1',
    name: 'workspace_write',
    arguments: { path: 'work/input', content: 'from the model' },
  })
  const { value } = await session.call({
    id: '2',
    name: 'skill_run',
    arguments: { skill: 'demo.say', command: 'sh say.sh', output_files: ['out/*.txt'] },
  })
  expect(value).toMatchObject({
    stdout: 'said\n',
    exit_code: 0,
    output_files: [{ name: 'out/said.txt', content: 'from the model' }],
  })
  const terminal = await session.call({
    id: '3',
    name: 'skill_exec',
    arguments: { skill: 'demo.say', command: 'read line; echo "got $line"', tty: true },
  })
  const { session_id: id } = terminal.value as { session_id: string }
  const ended = await session.call({
    id: '4',
    name: 'skill_write_stdin',
    arguments: { session_id: id, chars: 'typed', submit: true, yield_ms: 10_000 },
  })
  expect(JSON.stringify([terminal.value, ended.value])).toContain('got typed')
  await session.end()
  await runtime.sandboxes.stop()
}, 120_000)
