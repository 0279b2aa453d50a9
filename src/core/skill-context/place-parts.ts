import { joinText } from '../../util/join-text.ts'
import type { AgentLoads, LoadedPart } from './session-state.ts'

export const PLACEMENTS = ['tool-results', 'system'] as const
/**
 * Where requests contain a loaded text. `tool-results`: in the result of the tool call that loaded
 * it, so that earlier messages do not change and the provider's prompt cache stays valid. `system`:
 * in the system message.
 */
export type Placement = (typeof PLACEMENTS)[number]

/** Positions of the loaded texts in one request. */
interface PlacedTexts {
  /** Text for the system message; may be empty. */
  system: string
  /** Texts to append to tool results, by call id. */
  results: ReadonlyMap<string, string>
}

interface PlacementRequest {
  placement: Placement
  /** Ids of the tool calls whose results are in the request. */
  results: ReadonlySet<string>
  render: (part: LoadedPart) => string
}

/**
 * Adds every loaded text to the result of the tool call that loaded it. If that result is not in
 * the conversation (it was cut or summarised, or the application loaded the skill), the text goes
 * into the system message: loaded content is never lost.
 */
export function placeParts({ parts }: AgentLoads, request: PlacementRequest): PlacedTexts {
  const inSystem: string[] = []
  const results = new Map<string, string>()
  for (const part of parts) {
    const { call } = part
    const text = request.render(part)
    if (request.placement === 'system' || call === null || !request.results.has(call)) {
      inSystem.push(text)
    } else {
      const before = results.get(call)
      results.set(call, before === undefined ? text : `${before}\n\n${text}`)
    }
  }
  const system = inSystem.length === 0 ? '' : joinText('Loaded skill context:', ...inSystem)
  return { system, results }
}
