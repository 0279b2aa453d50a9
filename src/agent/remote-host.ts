import type { SkillsClient } from '../client/client.ts'
import type { SkillSummary } from '../core/skill-context/prompt/skill-summary.ts'
import { summariseSkills } from '../core/skill-context/prompt/summarise-skills.ts'
import { SkillsError, isErrorCode, type ErrorCode } from '../errors.ts'
import type { RuntimeHandle } from '../runtime-handle/handle.ts'
import { createRemoteHandle } from '../runtime-handle/remote.ts'
import { callInSession, type SkillHost, type ToolSession } from './host.ts'
import type { ProtocolError } from '../client/errors.ts'
import { isConnectionError, isProtocolError } from '../runtime-handle/remote-context.ts'

/** Lifetime of the cached skill list, which every model request needs. */
const LIST_CACHE_MS = 30_000

/** The skills of a remote runtime. Loads are decided here and reported to the runtime. */
export function remoteHost(client: SkillsClient): SkillHost {
  const handle = createRemoteHandle(client, { explain: explainForModel })
  const shared = new Map<string, Set<string>>()
  let cached: { at: number; list: readonly SkillSummary[] } | undefined
  return {
    repository: handle.skills,
    endSession: async (id) => {
      await handle.call('kill', { session: id, session_id: '*' })
    },
    async skills() {
      const now = performance.now()
      if (!cached || now - cached.at > LIST_CACHE_MS) {
        cached = { at: now, list: summariseSkills(await handle.skills.list()) }
      }
      return cached.list
    },
    call: async (method, params, at) =>
      await callInSession(handle, { method, params, ...at }, async () => {
        await shareLoads(handle, at.session, shared)
      }),
    problems: async () => await handle.skills.problems(),
    filtered() {
      throw new SkillsError(
        'usage/invalid',
        'Skills of a remote runtime cannot be filtered locally',
        {
          hint: 'Use a runtime that serves only the roots that this agent may see',
        },
      )
    },
  }
}

/** Loads skills at the runtime, which requires them before it runs a skill's command. */
async function shareLoads(
  handle: RuntimeHandle,
  { id, agent, loads }: ToolSession,
  shared: Map<string, Set<string>>,
): Promise<void> {
  const key = JSON.stringify([id, agent])
  const sharedSkills = shared.get(key) ?? new Set<string>()
  shared.set(key, sharedSkills)
  for (const { name: skill, read } of loads.skills) {
    if (!read || sharedSkills.has(skill)) continue
    await handle.call('skill_load', { skill, session: id, agent })
    sharedSkills.add(skill)
  }
}

const INVALID_PARAMS_PREFIX = 'Invalid params: '

/** Converts an error of a remote runtime to the error that a local runtime would throw. */
function explainForModel(thrown: unknown): unknown {
  if (isProtocolError(thrown)) return toLocalError(thrown)
  if (!isConnectionError(thrown)) return thrown
  const { message, problem } = thrown
  const code = problem === 'unreachable' ? 'remote/unreachable' : 'remote/broken'
  return new SkillsError(code, message, {
    hint: 'Continue without it, or try again',
    cause: thrown,
  })
}

function toLocalError(error: ProtocolError): SkillsError {
  const { kind, hint, ...data } = (error.data ?? {}) as Record<string, unknown>
  const code: ErrorCode = typeof kind === 'string' && isErrorCode(kind) ? kind : 'remote/unexpected'
  const isLocated = error.message.startsWith(INVALID_PARAMS_PREFIX)
  return new SkillsError(
    code,
    isLocated ? error.message.slice(INVALID_PARAMS_PREFIX.length) : error.message,
    {
      // Omits a hint that the message already contains.
      hint: typeof hint === 'string' && !error.message.includes(hint) ? hint : undefined,
      data,
      cause: error,
    },
  )
}
