import { join } from 'node:path'
import { play, recordConversation } from './conversation.js'
import { agent, anthropicSkills, openSkills, work } from './library.js'
import { writeSkills } from './skill-set.js'

const LIMIT_MS = 5
const ROUNDS = 100

const ADAPTERS = {
  neutral: (session, messages) => {
    const skills = agent.neutralSkills(session)
    return async () => await skills.request(messages)
  },
  anthropic: (session, messages) => {
    const skills = anthropicSkills(session)
    const own = messages.map(toAnthropicRequest)
    return async () => await skills.request({ messages: own })
  },
}

/** Prints the cost of building a request in a long conversation, and returns the rows. */
export async function printRequests() {
  console.log('\nA request of a conversation of 100 turns with 200 skills')
  const rows = await timeRequests()
  for (const { arm, median, p95, limit } of rows) {
    const verdict = p95 <= limit ? 'holds' : 'DOES NOT HOLD'
    console.log(
      `${arm.padEnd(36)} ${median.toFixed(2)} ms, p95 ${p95.toFixed(2)} ms, at most ${limit} ms: ${verdict}`,
    )
  }
  return rows
}

async function timeRequests() {
  const root = join(work, 'many')
  writeSkills(root, { count: 200, bodyWords: 600, docs: 2, docWords: 300 })
  const { host, skills } = await openSkills(root)
  const arms = []
  for (const placement of ['tool-results', 'system']) {
    const session = agent.createAgentSession({
      host,
      loadMode: 'session',
      maxLoaded: 20,
      placement,
    })
    let last = []
    await play(recordConversation({ seed: 7, turns: 100, skills }), {
      session,
      skills: agent.neutralSkills(session),
      onRequest: (request) => {
        last = request.messages
      },
    })
    for (const [name, make] of Object.entries(ADAPTERS)) {
      arms.push({ arm: `${name}, content in ${placement}`, build: make(session, last.slice(1)) })
    }
  }
  const times = arms.map(() => [])
  for (let round = -20; round < ROUNDS; round++) {
    for (const [index, { build }] of arms.entries()) {
      const start = performance.now()
      await build()
      if (round >= 0) times[index].push(performance.now() - start)
    }
  }
  return arms.map(({ arm }, index) => {
    const sorted = times[index].toSorted((a, b) => a - b)
    const at = (share) => sorted[Math.floor(sorted.length * share)]
    return { arm, median: at(0.5), p95: at(0.95), limit: LIMIT_MS }
  })
}

function toAnthropicRequest(message) {
  if (message.role === 'tool') {
    const { call, content } = message
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content }] }
  }
  return { role: message.role, content: message.content }
}
