import {
  createSessionState,
  type SessionState,
} from '../../../src/core/skill-context/session-state.ts'
import type { SessionLimits, SessionStore } from '../../../src/core/skill-context/session-store.ts'

/** In-memory sessions. */
export function createMemorySessionStore({ maxSessions = Infinity }: SessionLimits): SessionStore {
  const sessions = new Map<string, SessionState>()
  let queue: Promise<unknown> = Promise.resolve()
  return {
    read: async (key) => sessions.get(key) ?? createSessionState(),
    async update(key, change) {
      const turn = queue.then(async () => {
        const { state, value } = await change(sessions.get(key) ?? createSessionState())
        sessions.delete(key)
        sessions.set(key, state)
        const [oldest] = sessions.keys()
        if (sessions.size > maxSessions && oldest !== undefined) sessions.delete(oldest)
        return value
      })
      queue = turn.catch(() => {})
      return await turn
    },
    async remove(key) {
      sessions.delete(key)
    },
    list: async () => [...sessions.keys()].toReversed().map((key) => ({ key, changedAt: 0 })),
    async sweep() {},
  }
}
