import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fromMarkdown } from 'mdast-util-from-markdown'
import type { Heading, Link, Nodes } from 'mdast'

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** A fenced block of a document. */
export interface Snippet {
  document: string
  line: number
  language: string
  code: string
}

/** Documents whose snippets are checked: generated references and decision records have none. */
export const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', ...listMarkdown('docs', false)]

/** Documents whose links are checked. */
export const LINKED = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...listMarkdown('docs', true),
  ...listMarkdown('examples', true),
]

function listMarkdown(folder: string, recursive: boolean): string[] {
  return readdirSync(join(ROOT, folder), { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
    .toSorted()
}

export function readDocument(document: string): string {
  return readFileSync(join(ROOT, document), 'utf8')
}

export function existsInRepository(path: string): boolean {
  return existsSync(join(ROOT, path))
}

/** Nodes by document: many links lead to one page, and large pages are slow to parse. */
const PARSED = new Map<string, Nodes[]>()

/** All nodes of a document, in order. */
function listNodes(document: string): Nodes[] {
  const flatten = (node: Nodes): Nodes[] => [
    node,
    ...('children' in node ? node.children.flatMap((child) => flatten(child)) : []),
  ]
  const nodes = PARSED.get(document) ?? flatten(fromMarkdown(readDocument(document)))
  PARSED.set(document, nodes)
  return nodes
}

export function listSnippets(document: string): Snippet[] {
  return listNodes(document)
    .filter((node) => node.type === 'code')
    .map(({ lang, value, position }) => ({
      document,
      line: position?.start.line ?? 0,
      language: lang ?? '',
      code: value,
    }))
}

export function listInlineCode(document: string): string[] {
  return listNodes(document)
    .filter((node) => node.type === 'inlineCode')
    .map(({ value }) => value)
}

export function listLinks(document: string): Link[] {
  return listNodes(document).filter((node) => node.type === 'link')
}

/** Anchors of the headings of a document, as GitHub and VitePress write them for ASCII headings. */
export function listAnchors(document: string): string[] {
  return listNodes(document)
    .filter((node): node is Heading => node.type === 'heading')
    .map((heading) =>
      readHeading(heading)
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    )
}

function readHeading({ children }: Heading): string {
  return children.map((child) => ('value' in child ? child.value : '')).join('')
}
