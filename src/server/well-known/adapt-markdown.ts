import type { Document } from 'yaml'

const FRONT_MATTER = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/

/** Front matter that an Agent Skill must have. */
interface PublishedFacts {
  name: string
  description: string
}

/**
 * Adds the front matter that every Agent Skill must have: its published name and a description.
 * Everything else is unchanged.
 */
export async function adaptMarkdown(text: string, facts: PublishedFacts): Promise<string> {
  const { parseDocument, stringify } = await import('yaml')
  const match = FRONT_MATTER.exec(text)
  if (!match) return `---\n${stringify(facts)}---\n\n${text}`
  const body = text.slice(match[0].length)
  const document = parseDocument(match[1] ?? '')
  const frontMatter = readMapping(document)
  if (!frontMatter) return `---\n${stringify(facts)}---\n${body}`
  const { name, description } = frontMatter
  const hasDescription = typeof description === 'string' && description.trim() !== ''
  if (name === facts.name && hasDescription) return text
  document.set('name', facts.name)
  if (!hasDescription) document.set('description', facts.description)
  return `---\n${String(document)}---\n${body}`
}

function readMapping(document: Document.Parsed): Record<string, unknown> | undefined {
  if (document.errors.length > 0) return undefined
  const frontMatter: unknown = document.toJS({ maxAliasCount: 0 })
  const isMap =
    typeof frontMatter === 'object' && frontMatter !== null && !Array.isArray(frontMatter)
  return isMap ? (frontMatter as Record<string, unknown>) : undefined
}
