import { changeLoads } from '../../../src/core/skill-context/change-loads.ts'
import { openSessionStore } from '../../../src/core/skill-context/session-store.ts'
import { getAgentLoads, replaceAgentLoads } from '../../../src/core/skill-context/session-state.ts'

// Loads ten skills into one session that other processes change at the same time.
const [dir = '', name = ''] = process.argv.slice(2)
const store = openSessionStore(dir)
for (let index = 0; index < 10; index++) {
  await store.update('k', async (state) => {
    const skill = `${name}${index}`
    const change = { skill, docs: undefined, load: true, texts: [], call: null }
    return {
      state: replaceAgentLoads(state, changeLoads(getAgentLoads(state, 'a'), change)),
      value: undefined,
    }
  })
}
