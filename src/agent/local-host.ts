import { GUIDE_NAME } from '../core/skills/manifest/fields.ts'
import { updateSession } from '../core/skill-context/update-session.ts'
import {
  DEFAULT_AGENT,
  getAgentLoads,
  replaceAgentLoads,
  type AgentLoads,
} from '../core/skill-context/session-state.ts'
import type { Repository, SkillEntry } from '../core/skills/repository/repository.ts'
import type { RunCall } from '../core/runs/run-call.ts'
import type { Runtime } from '../core/runtime.ts'
import { SkillsError } from '../errors.ts'
import type { SkillSummary } from '../core/skill-context/prompt/skill-summary.ts'
import { createPathMask } from '../util/text/mask-paths.ts'
import { createLocalHandle } from '../runtime-handle/local.ts'
import { callInSession, type SkillFilter, type SkillHost, type ToolSession } from './host.ts'
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
      const entries = await runtime.repository.list()
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
      const repository = filterRepository(runtime.repository, isVisible)
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

/** A repository that hides skills from every tool. */
function filterRepository(repository: Repository, isVisible: SkillFilter): Repository {
  const shows = (entry: SkillEntry) =>
    entry.name === GUIDE_NAME || isVisible({ name: entry.name, description: entry.description })
  let last: readonly SkillEntry[] = []
  return {
    ...repository,
    async list() {
      const visible = (await repository.list()).filter(shows)
      // Returns the same array while nothing changed; callers compare by identity.
      if (!haveSameEntries(visible, last)) last = visible
      return last
    },
    async resolve(name, version) {
      const entry = await repository.resolve(name, version).catch((error: unknown) => {
        // The original message might name a hidden skill.
        if (error instanceof SkillsError && error.code === 'skill/not-found')
          throw skillNotFoundError(name)
        throw error
      })
      if (!shows(entry)) throw skillNotFoundError(name)
      return entry
    },
    async versions(name) {
      const newest = await repository.resolve(name).catch(() => undefined)
      return newest && shows(newest) ? await repository.versions(name) : []
    },
  }
}

function haveSameEntries(a: readonly SkillEntry[], b: readonly SkillEntry[]): boolean {
  return a.length === b.length && a.every((entry, at) => entry === b[at])
}

function skillNotFoundError(name: string): SkillsError {
  return new SkillsError('skill/not-found', `skill '${name}' not found`, {
    data: { param: 'name', reason: 'not found' },
  })
}
