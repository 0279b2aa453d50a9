import { createRandom } from './skill-set.js'

/**
 * A recorded conversation between user and model. Each turn loads one or two skills, reads
 * documents of them, calls some tools of the application, and answers.
 */
export function recordConversation({ seed, turns, skills }) {
  const random = createRandom(seed)
  const steps = []
  for (let turn = 0; turn < turns; turn++) {
    steps.push({ user: `Turn ${turn}: please go on with part ${random(100)} of the work.` })
    const skill = skills[random(skills.length)]
    steps.push({ tool: 'skill_load', args: { skill: skill.name } })
    if (skill.docs.length > 0) {
      steps.push({ tool: 'skill_list_docs', args: { skill: skill.name } })
      const docs = [skill.docs[random(skill.docs.length)]]
      steps.push({ tool: 'skill_select_docs', args: { skill: skill.name, docs, mode: 'add' } })
    }
    steps.push({ tool: 'own_tool', args: { query: `part ${random(1000)}` } })
    steps.push({ say: `Done with turn ${turn}; the result is in out/${turn}.md.` })
  }
  return steps
}

/** Replays it; `onRequest` gets each request to the model. */
export async function play(steps, { skills, session, onRequest }) {
  const messages = [{ role: 'system', content: 'You are an assistant that works with skills.' }]
  const send = async () => await onRequest(await skills.request(messages))
  for (const [index, step] of steps.entries()) {
    if (step.user !== undefined) {
      await session.beginTurn()
      messages.push({ role: 'user', content: step.user })
      continue
    }
    await send()
    if (step.say !== undefined) {
      messages.push({ role: 'assistant', content: step.say })
      continue
    }
    const call = { id: `call-${index}`, name: step.tool, arguments: step.args }
    const reply = { role: 'assistant', content: '', calls: [call] }
    const own = async () => `A result of ${JSON.stringify(step.args)}.`
    messages.push(reply, ...(await skills.answer(reply, { own })))
  }
}
