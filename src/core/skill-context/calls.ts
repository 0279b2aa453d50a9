import type { Runtime } from '../runtime.ts'
import type { Services } from '../services.ts'

type Names = 'skillLoad' | 'skillSelectDocs' | 'skillContext' | 'skillListDocs'

/** What agents do with skills short of running them. */
export function loadCalls(services: Services): Pick<Runtime, Names> {
  return {
    skillLoad: async (params, call = {}) =>
      (await import('../methods/skill-load/run.ts')).skillLoad(services, params, call),
    skillSelectDocs: async (params, call = {}) =>
      (await import('../methods/skill-select-docs/run.ts')).skillSelectDocs(services, params, call),
    skillContext: async (params, call = {}) =>
      (await import('../methods/skill-context/run.ts')).skillContext(services, params, call),
    skillListDocs: async (params) =>
      (await import('../methods/skill-list-docs/run.ts')).skillListDocs(services, params),
  }
}
