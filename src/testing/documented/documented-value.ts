import type { InputType, Plain } from '../../core/skills/manifest/manifest.ts'

/** Parses the text of a documented argument; undefined if it is not of the type. */
export function parseDocumentedValue(text: string, type: InputType): { value: Plain } | undefined {
  if (type === 'string') return { value: text }
  try {
    return { value: JSON.parse(text) as Plain }
  } catch {
    return type === 'any' ? { value: text } : undefined
  }
}
