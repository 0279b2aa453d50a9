import type { AgentSession } from './session.ts'
import type { ToolAnswer, ToolCall } from './tool-call.ts'
import { fromProviderName } from './tool-names.ts'

export interface AnswerOptions {
  signal?: AbortSignal
  /** Uses the application's own tools; without it their calls are left to the caller. */
  own?: (call: ToolCall) => Promise<string>
}

/** What the tools are that parameters came with; none where they came without. */
export type ToolElement<P> = P extends { tools: readonly (infer T)[] } ? T : never

/** Answers calls at once, in their order; those of tools that are not ours only where `own` does. */
export async function answerCalls(
  session: AgentSession,
  calls: readonly ToolCall[],
  { own, signal }: AnswerOptions = {},
): Promise<ToolAnswer[]> {
  const answers = calls.map(async (call): Promise<ToolAnswer | undefined> => {
    const name = fromProviderName(call.name)
    if (session.hasTool(name)) {
      const answer = await session.call({ ...call, name }, signal ? { signal } : {})
      return { ...answer, name: call.name }
    }
    if (!own) return undefined
    const text = await own(call)
    return { id: call.id, name: call.name, text, value: text, isError: false }
  })
  return (await Promise.all(answers)).filter((answer) => answer !== undefined)
}

/** Tools of the application that a request offers, by a reader of their names. */
export function filterOwnTools<T>(
  session: AgentSession,
  tools: readonly T[] | undefined,
  nameOf: (tool: T) => string | undefined,
): T[] {
  if (!tools) return []
  const names = tools.map(nameOf).filter((name) => name !== undefined)
  const active = new Set(session.activeTools(names))
  return tools.filter((tool) => {
    const name = nameOf(tool)
    // The tools for skills win over others of their name.
    return name === undefined || (active.has(name) && !session.hasTool(fromProviderName(name)))
  })
}
