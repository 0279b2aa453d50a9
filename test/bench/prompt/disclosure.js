import { play, recordConversation } from './conversation.js'

/** Counts the tokens of requests, and those that a provider's prefix cache would contain. */
export function createTally(count) {
  const total = { requests: 0, extended: 0, prompt: 0, cached: 0 }
  let before = []
  const known = new Map()
  const countTokens = (text) => {
    let tokens = known.get(text)
    if (tokens === undefined) known.set(text, (tokens = count(text)))
    return tokens
  }
  return {
    total,
    add({ messages }) {
      const texts = messages.map((message) => JSON.stringify(message))
      let same = true
      for (const [index, text] of texts.entries()) {
        const tokens = countTokens(text)
        total.prompt += tokens
        if (same && text === before[index]) {
          total.cached += tokens
        } else if (same) {
          same = false
          // In the first message that differs, the common prefix is cached.
          total.cached += countTokens(commonPrefix(text, before[index] ?? ''))
        }
      }
      total.requests += 1
      const isWhole = before.every((text, index) => text === texts[index])
      if (before.length > 0 && isWhole) total.extended += 1
      before = texts
    },
  }
}

function commonPrefix(a, b) {
  let length = 0
  while (length < a.length && a[length] === b[length]) length += 1
  return a.slice(0, length)
}

/** Measures one way to present skills to a model, over several conversations; returns the sums. */
export async function measure(way, { agent, host, skills, count, seeds, turns }) {
  const results = []
  for (const seed of seeds) {
    const session = agent.createAgentSession({
      host,
      tools: 'knowledge',
      loadMode: way.loadMode ?? 'session',
      placement: way.placement ?? 'tool-results',
    })
    for (const { name } of way.preload ? skills : []) {
      await session.load({ skill: name, include_all_docs: way.preload === 'everything' })
    }
    const { total, add } = createTally(count)
    const steps = recordConversation({ seed, turns, skills })
    // With everything in the prompt, the model calls no skill tools.
    const asked = way.preload ? steps.filter((step) => !step.tool?.startsWith('skill_')) : steps
    await play(asked, { skills: agent.neutralSkills(session), session, onRequest: add })
    results.push(total)
  }
  return results
}
