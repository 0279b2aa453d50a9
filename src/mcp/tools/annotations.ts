import type { ToolAnnotations } from '@modelcontextprotocol/server'
import type { Method } from '../../core/methods/method.ts'

/** Methods that add something and can change or remove nothing, here or elsewhere. */
const ADDING = new Set(['create_blob', 'create_skill', 'workspace_save_artifact', 'skill_load'])

/** What a client may know of a tool before it asks a person: the worst that a call can do. */
export function annotationsOf({ name, readOnly }: Method): ToolAnnotations {
  const title = titleOf(name)
  if (readOnly) return { title, readOnlyHint: true, idempotentHint: true, openWorldHint: false }
  const isAdding = ADDING.has(name)
  return {
    title,
    readOnlyHint: false,
    destructiveHint: !isAdding,
    idempotentHint: false,
    // Code runs in a sandbox, and may reach what its skill declares and the operator allows.
    openWorldHint: !isAdding,
  }
}

/** `run_code` as "Run code". */
export function titleOf(name: string): string {
  const words = name.replaceAll(/[._]+/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2')
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase()
}
