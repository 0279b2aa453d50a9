import { joinText } from '../../util/join-text.ts'
import type { AgentLoads, LoadedPart } from './session-state.ts'

export const PLACEMENTS = ['tool-results', 'system'] as const
/**
 * In the tool result that asked for it, which leaves everything before as it was and so in the
 * provider's cache; or in the system message.
 */
export type Placement = (typeof PLACEMENTS)[number]

/** Where loaded texts stand in one request. */
interface PlacedTexts {
  /** Stands in the system message; may be empty. */
  system: string
  /** Stands at the end of tool results, by the id of their call. */
  results: ReadonlyMap<string, string>
}

interface PlacementRequest {
  placement: Placement
  /** Ids of the tool calls whose results are in it. */
  results: ReadonlySet<string>
  render: (part: LoadedPart) => string
}

/**
 * Puts every loaded text where it was asked for. One whose tool result is not in the conversation,
 * because it was cut or summarised or because no model asked, stands in the system message: what is
 * loaded is never lost.
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
