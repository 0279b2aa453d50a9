import type { Runtime } from '../runtime.ts'

type Names = 'skillLoad' | 'skillSelectDocs' | 'skillContext' | 'skillListDocs'

/** What agents do with skills short of running them. */
export function loadCalls(runtime: () => Runtime): Pick<Runtime, Names> {
  return {
    skillLoad: async (params, call = {}) =>
      (await import('../methods/skill-load/run.ts')).skillLoad(runtime(), params, call),
    skillSelectDocs: async (params, call = {}) =>
      (await import('../methods/skill-select-docs/run.ts')).skillSelectDocs(
        runtime(),
        params,
        call,
      ),
    skillContext: async (params, call = {}) =>
      (await import('../methods/skill-context/run.ts')).skillContext(runtime(), params, call),
    skillListDocs: async (params) =>
      (await import('../methods/skill-list-docs/run.ts')).skillListDocs(runtime(), params),
  }
}
