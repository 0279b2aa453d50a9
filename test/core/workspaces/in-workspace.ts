import type { SkillCommandParams } from '../../../src/core/methods/skill-run/definition.ts'
import { createRuntime, type Runtime } from '../../../src/core/runtime.ts'
import type { RuntimeOptions } from '../../../src/core/open-services.ts'
import type { RunCall } from '../../../src/core/runs/run-call.ts'
import { getWorkspaceKey } from '../../../src/core/workspaces/commands/skill-command.ts'
import { endAllSessions } from '../../../src/core/workspaces/sessions/end-sessions.ts'
import { onTestFinished } from 'vitest'
import { keepSandboxes } from '../../helpers/kept-sandboxes.ts'
import { createFolder, writeTree, type OnEnd, type Tree } from '../../helpers/skills.ts'
import { createRuntimeIn } from '../runs/run-python.ts'

const SKILL_MD = '---\nname: demo\ndescription: Demonstrates.\n---\n# Demo\nBody.\n'

interface SessionOptions {
  files?: Tree
  settings?: Record<string, unknown>
  data?: string
  hooks?: RuntimeOptions['workspaceHooks']
  bounds?: RuntimeOptions['bounds']
}

/** A session of a new runtime, with the skill `demo` and further files, for one test. */
export async function createSession(options: SessionOptions = {}) {
  return await openSession(options, onTestFinished)
}

/** A session that several tests may use: its start takes most of the time of a short test. */
export async function openSession(options: SessionOptions, onEnd: OnEnd) {
  const { files = {}, settings = {}, data = createFolder({}, onEnd), hooks, bounds } = options
  const skills = createFolder({}, onEnd)
  const sandboxes = await keepSandboxes()
  writeTree(skills, { 'demo/SKILL.md': SKILL_MD, ...files })
  const open = async (more: Record<string, unknown> = {}) => {
    const { config } = await createRuntimeIn(data, { roots: [skills], ...settings, ...more })
    const setup = { config, cacheDir: null, sandboxes, workspaceHooks: hooks, bounds }
    const runtime = createRuntime(setup)
    onEnd(async () => await endAllSessions(runtime))
    return runtime
  }
  const runtime = await open()
  const call: RunCall = { cwd: data, env: { PATH: process.env['PATH'] } }
  return {
    runtime,
    open,
    call,
    data,
    skills,
    session: 's',
    ...bindTools(runtime, call),
    toolsOf: (other: Runtime) => bindTools(other, call),
  }
}

/** The tools, with default parameters. */
function bindTools(runtime: Runtime, call: RunCall) {
  return {
    run: async (command: string, more: Partial<SkillCommandParams> = {}) =>
      await runtime.skillRun({ session: 's', skill: 'demo', command, ...more }, call),
    exec: async (command: string, more: object = {}) =>
      await runtime.skillExec(
        { session: 's', skill: 'demo', command, yield_ms: 20_000, ...more },
        call,
      ),
    write: async (id: string, more: object = {}) =>
      await runtime.skillWriteStdin(
        { session: 's', session_id: id, yield_ms: 20_000, ...more },
        call,
      ),
    poll: async (id: string, more: object = {}) =>
      await runtime.skillPollSession(
        { session: 's', session_id: id, yield_ms: 20_000, ...more },
        call,
      ),
    kill: async (id: string) =>
      await runtime.skillKillSession({ session: 's', session_id: id }, call),
    shell: async (command: string, more: object = {}) =>
      await runtime.workspaceExec({ session: 's', command, ...more }, call),
    read: async (ref: string, more: object = {}) =>
      await runtime.workspaceRead({ session: 's', ref, ...more }, call),
    place: async () => await (await runtime.workspaces()).open(getWorkspaceKey('s', call), call),
  }
}
