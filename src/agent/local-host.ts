import { updateSession } from '../core/skill-context/update-session.ts'
import {
  DEFAULT_AGENT,
  getAgentLoads,
  replaceAgentLoads,
  type AgentLoads,
} from '../core/skill-context/session-state.ts'
import { filterRepository } from '../core/skills/repository/filter-repository.ts'
import type { SkillEntry } from '../core/skills/repository/repository.ts'
import type { RunCall } from '../core/runs/run-call.ts'
import type { Runtime } from '../core/runtime.ts'
import { hideDeniedSkills } from '../core/methods/hide-denied-skills.ts'
import type { SkillSummary } from '../core/skill-context/prompt/skill-summary.ts'
import { createPathMask } from '../util/text/mask-paths.ts'
import { createLocalHandle } from '../runtime-handle/local.ts'
import { callInSession, type SkillHost, type ToolSession } from './host.ts'
import { summariseSkills } from '../core/skill-context/prompt/summarise-skills.ts'

export interface LocalHostOptions {
  /**
   * Context of runs: environment and working directory for program lookup. Defaults to none of this
   * process.
   */
  call?: Partial<Omit<RunCall, 'signal'>>
}

/** The skills of a runtime in this process. */
export function localHost(runtime: Runtime, options: LocalHostOptions = {}): SkillHost {
  const caller = { door: 'library', ...options.call?.caller } as const
  const call: RunCall = { env: {}, cwd: '/', ...options.call, caller }
  const handle = createLocalHandle(runtime, call)
  let summaries: { of: readonly SkillEntry[]; list: readonly SkillSummary[] } | undefined
  return {
    repository: runtime.repository,
    takesCallValues: true,
    commandRules: {
      ...runtime.config.workspace,
      ...(caller.door === 'cli' && { sandbox: 'command' }),
    },
    endSession: async (id) => {
      const { endSession } = await import('../core/workspaces/sessions/end-sessions.ts')
      await endSession(runtime, id, call)
    },
    async skills() {
      const { repository } = await hideDeniedSkills(runtime, call)
      const entries = await repository.list()
      if (summaries?.of !== entries) summaries = { of: entries, list: summariseSkills(entries) }
      return summaries.list
    },
    call: async (method, params, at) =>
      await callInSession(handle, { method, params, ...at }, async () => {
        await saveSessionLoads(runtime, at.session, call)
      }),
    problems: async () => await runtime.repository.problems(),
    maskPaths: createPathMask(listHostFolders(runtime, call)),
    filtered(isVisible) {
      const repository = filterRepository(runtime.repository, ({ name, description }) =>
        isVisible({ name, description }),
      )
      return localHost({ ...runtime, repository }, options)
    },
  }
}

/** Folders whose names a model must not learn. */
function listHostFolders({ config }: Runtime, { cwd, env }: RunCall): string[] {
  const { data, cache } = config.directories
  const folders = [...config.roots, ...config.workspace.hostRoots, data, cache, cwd, env['HOME']]
  return folders.filter((folder) => folder !== undefined)
}

/** Saves the loads to the session store, where commands of a skill check that it is loaded. */
async function saveSessionLoads(
  runtime: Runtime,
  { id, agent, loads }: ToolSession,
  call: RunCall,
): Promise<void> {
  const sessions = await runtime.sessions()
  await updateSession(sessions, { session: id, caller: call.caller }, async (state) => {
    const stored: AgentLoads = { ...loads, agent: agent || DEFAULT_AGENT }
    const isUnchanged =
      JSON.stringify(getAgentLoads(state, stored.agent)) === JSON.stringify(stored)
    // Skips an unchanged state: a command need not wait for the disk.
    return { state: isUnchanged ? state : replaceAgentLoads(state, stored), value: undefined }
  })
}
