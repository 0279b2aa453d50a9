import type { AgentSession } from './session.ts'
import type { ToolAnswer, ToolCall } from './tool-call.ts'
import { fromProviderName } from '../core/tool-formats/tool-names.ts'

export interface AnswerOptions {
  signal?: AbortSignal
  /** Runs the application's own tools; without it their calls are left to the application. */
  own?: (call: ToolCall) => Promise<string>
}

/** Element type of a `tools` parameter; `never` if the parameters have none. */
export type ToolElement<P> = P extends { tools: readonly (infer T)[] } ? T : never

/**
 * Answers calls concurrently, results in call order. Calls of other tools are answered only if
 * `own` is set.
 */
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

/** The application's tools that a request offers; `readName` reads a tool's name. */
export function filterOwnTools<T>(
  session: AgentSession,
  tools: readonly T[] | undefined,
  readName: (tool: T) => string | undefined,
): T[] {
  if (!tools) return []
  const names = tools.map(readName).filter((name) => name !== undefined)
  const active = new Set(session.activeTools(names))
  return tools.filter((tool) => {
    const name = readName(tool)
    // A skill tool replaces an application tool of the same name.
    return name === undefined || (active.has(name) && !session.hasTool(fromProviderName(name)))
  })
}
