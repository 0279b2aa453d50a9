import type { TokenUsage } from '../model/eval-model.ts'

export type Arm = 'with_skill' | 'without_skill'
export const ARMS: readonly Arm[] = ['with_skill', 'without_skill']

/** Reasons for the end of a conversation. The first three are graded. */
export type ConversationEnd =
  | 'completed'
  | 'max_turns'
  | 'timeout'
  | 'chosen'
  | 'ceiling'
  | 'interrupted'
  | 'model_error'

export interface TrajectoryCall {
  id: string
  name: string
  arguments: unknown
}

/** One line of a saved conversation. */
export type TrajectoryEvent =
  | {
      type: 'start'
      eval: string
      arm: Arm
      run: number
      model: string
      skill: string
      /** Digest of the skill without its evals and tests. */
      digest: string
      tools: readonly string[]
    }
  | { type: 'user'; text: string }
  | {
      type: 'assistant'
      text: string
      calls: readonly TrajectoryCall[]
      usage: TokenUsage | null
    }
  | { type: 'tool'; call: string; name: string; text: string; is_error: boolean }
  | { type: 'end'; reason: ConversationEnd; message: string | null; duration_ms: number }

export type StartEvent = Extract<TrajectoryEvent, { type: 'start' }>
export type EndEvent = Extract<TrajectoryEvent, { type: 'end' }>

/** The text of the last answer of the model. */
export function getLastMessage(events: readonly TrajectoryEvent[]): string {
  return events.findLast((each) => each.type === 'assistant')?.text ?? ''
}

export function listCalls(events: readonly TrajectoryEvent[]): TrajectoryCall[] {
  return events.flatMap((each) => (each.type === 'assistant' ? each.calls : []))
}

export function sumUsage(events: readonly TrajectoryEvent[]): number {
  return events.reduce(
    (sum, each) =>
      each.type === 'assistant' ? sum + (each.usage?.input ?? 0) + (each.usage?.output ?? 0) : sum,
    0,
  )
}

/** True if the conversation came to an end that says something about the skill. */
export function isGraded(end: EndEvent | undefined): boolean {
  return end !== undefined && ['completed', 'max_turns', 'timeout'].includes(end.reason)
}

/** JSON lines, one event each. */
export function formatTrajectory(events: readonly TrajectoryEvent[]): string {
  return events.map((each) => `${JSON.stringify(each)}\n`).join('')
}

export function parseTrajectory(text: string): TrajectoryEvent[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as TrajectoryEvent)
}
