/** A node of a parsed document, as the server sends it: no positions, no HTML. */
export interface DocumentNode {
  type: string
  children?: readonly DocumentNode[]
  value?: string
  url?: string
  title?: string | null
  alt?: string | null
  depth?: number
  ordered?: boolean | null
  start?: number | null
  lang?: string | null
  checked?: boolean | null
  align?: readonly (string | null)[] | null
}

/** Target of a link: another site, a file of the skill, or a heading of the document. */
export type LinkTarget =
  | { kind: 'external'; url: string }
  | { kind: 'file'; path: string; fragment: string | undefined }
  | { kind: 'heading'; id: string }

/**
 * Resolves the address of a link. Only http, https and mailto lead out; every other scheme is
 * refused, and the text of such a link stays text.
 */
export function resolveLink(address: string, from: string): LinkTarget | undefined {
  const text = address.trim()
  if (text.startsWith('#')) return { kind: 'heading', id: ANCHOR + text.slice(1).toLowerCase() }
  if (/^(?:https?:\/\/|mailto:)/i.test(text)) {
    return URL.canParse(text) ? { kind: 'external', url: new URL(text).href } : undefined
  }
  // Browsers ignore control characters within a scheme.
  // oxlint-disable-next-line no-control-regex
  const scheme = /^[a-z][a-z0-9+.-]*:/i.test(text.replace(/[\u0000-\u0020]/g, ''))
  if (scheme || text.startsWith('/') || text.startsWith('\\')) return undefined
  const [path = '', fragment] = text.split('#', 2)
  const resolved = resolveFilePath(from, path)
  return resolved === undefined ? undefined : { kind: 'file', path: resolved, fragment }
}

/** A path relative to a file of the skill; undefined if it leads out of the skill. */
function resolveFilePath(from: string, path: string): string | undefined {
  const parts = from.split('/').slice(0, -1)
  for (const part of decodeLinkPath(path).split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..') {
      if (parts.length === 0) return undefined
      parts.pop()
    } else parts.push(part)
  }
  return parts.length === 0 ? undefined : parts.join('/')
}

function decodeLinkPath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Text of a node and of everything below it. */
export function collectText({ value, alt, children }: DocumentNode): string {
  if (value !== undefined) return value
  return alt ?? (children ?? []).map(collectText).join('')
}

/** A heading named "App" or "Main" must not get the id of a part of the page. */
const ANCHOR = 'heading-'

/** Anchor of a heading: the same text gives the same anchor. */
export function makeAnchor(text: string): string {
  const words = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
  return ANCHOR + words.replace(/\s+/g, '-')
}

export interface OutlineEntry {
  depth: number
  text: string
  anchor: string
}

/** Headings of a document, in order. */
export function listHeadings(root: DocumentNode): OutlineEntry[] {
  return (root.children ?? [])
    .filter(({ type }) => type === 'heading')
    .map((node) => {
      const text = collectText(node)
      return { depth: node.depth ?? 1, text, anchor: makeAnchor(text) }
    })
}
