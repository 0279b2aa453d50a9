import { localHost } from '../../src/agent/local-host.ts'
import { createAgentSession, type AgentSession } from '../../src/agent/session.ts'
import type { AgentSessionOptions } from '../../src/agent/session-options.ts'
import { loadConfig } from '../../src/core/config/load-config.ts'
import { createRuntime, type Runtime } from '../../src/core/runtime.ts'
import { createFolder, writeTree, type Tree } from './skills.ts'

/** Skills for loading tests: one with documents, others with a body only. */
export const TEST_SKILLS: Tree = {
  'skills/demo/SKILL.md':
    '---\nname: demo\ndescription: Shows how it is done.\n---\n# Demo\nDEMO BODY\n',
  'skills/demo/USAGE.md':
    '# Usage\nUSAGE TEXT\n\n## Install\nINSTALL TEXT\n\n## Remove\nREMOVE TEXT\n',
  'skills/demo/EXTRA.txt': 'EXTRA TEXT\n',
  'skills/demo/docs/a.md': 'DOC A TEXT\n',
  'skills/demo/scripts/run.py': 'print("hi")\n',
  'skills/demo/logo.png': new Uint8Array([137, 80, 78, 71, 0, 1]),
  'skills/other/SKILL.md': '---\nname: other\ndescription: Something else.\n---\nOTHER BODY\n',
  'skills/third/SKILL.md': '---\nname: third\ndescription: The third.\n---\nTHIRD BODY\n',
}

/** Tools of trpc-agent-go's profile `full`, by name, and those that read and write files. */
export const SKILL_TOOLS = [
  'skill_load',
  'skill_select_docs',
  'skill_list_docs',
  'skill_run',
  'skill_exec',
  'skill_write_stdin',
  'skill_poll_session',
  'skill_kill_session',
  'workspace_read',
  'workspace_write',
  'workspace_replace',
  'workspace_list',
] as const

/** A runtime over a temporary folder. */
export async function createTestRuntime(
  tree: Tree = TEST_SKILLS,
): Promise<{ runtime: Runtime; dir: string }> {
  const dir = createFolder()
  writeTree(dir, tree)
  const env = { PATH: process.env['PATH'], HOME: dir }
  const flags = { roots: [`${dir}/skills`] }
  const { config } = await loadConfig({ cwd: dir, env, flags, noFiles: true })
  return { runtime: createRuntime({ config, cacheDir: null }), dir }
}

/** A session over the test skills. */
export async function createTestSession(
  options: Partial<AgentSessionOptions> & { tree?: Tree } = {},
): Promise<AgentSession> {
  const { tree, ...rest } = options
  const { runtime } = await createTestRuntime(tree)
  return createAgentSession({ host: localHost(runtime), ...rest })
}

/** Calls a tool and returns its answer. */
export async function callTool(
  ...[session, name, args, id = `call-${name}-${JSON.stringify(args)}`]: [
    session: AgentSession,
    name: string,
    args: object,
    id?: string,
  ]
) {
  return await session.call({ id, name, arguments: args })
}
