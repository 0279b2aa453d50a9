import type { CaseAction } from '../../core/testing/suites/suite.ts'
import type { CasePerformer } from './case-performer.ts'

type PerformerFor<Kind extends CaseAction['kind']> = CasePerformer<
  Extract<CaseAction, { kind: Kind }>
>

/** Performers by the kind of action, loaded at their first use. */
const PERFORMERS: {
  [Kind in CaseAction['kind']]: () => Promise<PerformerFor<Kind>>
} = {
  skill: async () => (await import('./skill-case.ts')).performSkillCase,
  code: async () => (await import('./code-case.ts')).performCodeCase,
  conversation: async () => (await import('./conversation-case.ts')).performConversationCase,
  command: async () => (await import('./command-case.ts')).performCommandCase,
}

export async function loadPerformer(kind: CaseAction['kind']): Promise<CasePerformer> {
  return (await PERFORMERS[kind]()) as CasePerformer
}
