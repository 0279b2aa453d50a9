import type { ToolAnnotations } from '@modelcontextprotocol/server'
import type { Method } from '../../core/methods/method.ts'

/** Worst-case effects of a tool, as hints for clients that ask the user for approval. */
export function buildAnnotations({ name, effect }: Method): ToolAnnotations {
  const title = formatTitle(name)
  if (effect === 'read') {
    return { title, readOnlyHint: true, idempotentHint: true, openWorldHint: false }
  }
  const isAdding = effect === 'create'
  return {
    title,
    readOnlyHint: false,
    destructiveHint: !isAdding,
    idempotentHint: false,
    // Code runs in a sandbox and may access hosts that its skill declares and the operator allows.
    openWorldHint: !isAdding && effect !== 'change',
  }
}

/** Formats `run_code` as "Run code". */
export function formatTitle(name: string): string {
  const words = name.replaceAll(/[._]+/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2')
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase()
}
