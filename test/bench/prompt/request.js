import { play, recordConversation } from './conversation.js'

const LIMIT_MS = 5

/** Builds the requests of a conversation of a hundred turns, and times those of its last turns. */
export async function timeRequests({ agent, adapters, host, skills }) {
  const rows = []
  for (const placement of ['tool-results', 'system']) {
    const session = agent.createAgentSession({
      host,
      loadMode: 'session',
      maxLoaded: 20,
      placement,
    })
    const neutral = agent.neutralSkills(session)
    let last = []
    const steps = recordConversation({ seed: 7, turns: 100, skills })
    await play(steps, {
      session,
      skills: neutral,
      onRequest: (request) => {
        last = request.messages
      },
    })
    const conversation = last.slice(1)
    const arms = Object.entries(adapters).map(([name, make]) => ({
      name: `${name}, ${placement}`,
      build: make(session, conversation),
      times: [],
    }))
    for (let round = -20; round < 100; round++) {
      for (const arm of arms) {
        const start = performance.now()
        await arm.build()
        if (round >= 0) arm.times.push(performance.now() - start)
      }
    }
    rows.push(...arms)
  }
  return rows.map(({ name, times }) => {
    const sorted = times.toSorted((a, b) => a - b)
    const at = (share) => sorted[Math.floor(sorted.length * share)]
    return { name, median: at(0.5), p95: at(0.95), limit: LIMIT_MS, holds: at(0.95) <= LIMIT_MS }
  })
}
