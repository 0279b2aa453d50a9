import type { ComponentChildren, VNode } from 'preact'
import { toPrintableLines } from '../../util/printable.ts'
import { collectText, makeAnchor, resolveLink, type DocumentNode } from '../models/markdown.ts'
import { findLanguage } from '../models/highlight.ts'
import { CodeView } from './code-view.tsx'

interface MarkdownViewProps {
  root: DocumentNode
  /** Path of the document in its skill. */
  path: string
  /** Link to another file of the skill; without it such links stay text. */
  renderFileLink?: (path: string, children: ComponentChildren) => VNode
  /** Level of the highest heading, so that the levels of the page stay in order. */
  topLevel?: number
}

const MAX_DEPTH = 60
/** A document with more nodes is shown as its text: elements for all of them would stop the page. */
const MAX_NODES = 20_000

/**
 * A document of a skill. Only the kinds of nodes in this file become elements; everything else,
 * markup in the document included, is shown as its text.
 */
export function MarkdownView({ root, ...context }: MarkdownViewProps) {
  if (hasMoreNodes(root, MAX_NODES)) {
    return (
      <>
        <p class="muted">The document has more than {MAX_NODES} parts, so it is shown as text.</p>
        <pre class="markdown wraps">{toPrintableLines(collectText(root))}</pre>
      </>
    )
  }
  return <div class="markdown">{renderChildren(root, context, 0)}</div>
}

/** Counts without recursion, because a document may be deep as well. */
function hasMoreNodes(root: DocumentNode, most: number): boolean {
  const left = [root]
  let count = 0
  for (let node = left.pop(); node; node = left.pop()) {
    count += 1
    if (count + left.length > most) return true
    left.push(...(node.children ?? []).slice(0, most + 1))
  }
  return false
}

type DocumentContext = Omit<MarkdownViewProps, 'root'>

// eslint-disable-next-line max-params -- the node, its context and its depth
function renderChildren(
  node: DocumentNode,
  context: DocumentContext,
  depth: number,
): ComponentChildren {
  if (depth > MAX_DEPTH) return toPrintableLines(collectText(node))
  return (node.children ?? []).map((child, at) => (
    <MarkdownNode key={at} node={child} context={context} depth={depth + 1} />
  ))
}

interface NodeProps {
  node: DocumentNode
  context: DocumentContext
  depth: number
}

const RENDERERS: Readonly<
  Record<string, (props: NodeProps & { children: ComponentChildren }) => ComponentChildren>
> = {
  paragraph: ({ children }) => <p>{children}</p>,
  heading: ({ node, context, children }) => {
    const level = Math.min(6, (node.depth ?? 1) + (context.topLevel ?? 2) - 1)
    const Heading = `h${level}` as 'h2'
    return <Heading id={makeAnchor(collectText(node))}>{children}</Heading>
  },
  emphasis: ({ children }) => <em>{children}</em>,
  strong: ({ children }) => <strong>{children}</strong>,
  delete: ({ children }) => <del>{children}</del>,
  blockquote: ({ children }) => <blockquote>{children}</blockquote>,
  list: ({ node, children }) =>
    node.ordered ? <ol start={node.start ?? 1}>{children}</ol> : <ul>{children}</ul>,
  listItem: ({ node, children }) => (
    <li>
      {typeof node.checked === 'boolean' && (
        <input type="checkbox" checked={node.checked} disabled />
      )}
      {children}
    </li>
  ),
  thematicBreak: () => <hr />,
  break: () => <br />,
  inlineCode: ({ node }) => <code>{toPrintableLines(node.value ?? '')}</code>,
  code: ({ node }) => (
    <CodeView
      text={node.value ?? ''}
      language={findLanguage(`.${node.lang ?? ''}`)}
      label={`Code${node.lang ? ` in ${node.lang}` : ''}`}
      numbered={false}
    />
  ),
  link: ({ node, context, children }) => renderLink(node, context, children),
  image: ({ node }) => (
    <span class="muted">[image: {toPrintableLines(node.alt ?? node.url ?? '')}]</span>
  ),
  table: ({ children }) => (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Table">
      <table>
        <tbody>{children}</tbody>
      </table>
    </div>
  ),
  tableRow: ({ children }) => <tr>{children}</tr>,
  tableCell: ({ children }) => <td>{children}</td>,
}

function MarkdownNode(props: NodeProps) {
  const { node, context, depth } = props
  const render = Object.hasOwn(RENDERERS, node.type) ? RENDERERS[node.type] : undefined
  if (!render) return <>{toPrintableLines(collectText(node))}</>
  return <>{render({ ...props, children: renderChildren(node, context, depth) })}</>
}

// eslint-disable-next-line max-params -- the node, its context and its content
function renderLink(
  node: DocumentNode,
  { path, renderFileLink }: DocumentContext,
  children: ComponentChildren,
) {
  const target = resolveLink(node.url ?? '', path)
  if (target?.kind === 'external') {
    return (
      <a href={target.url} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
    )
  }
  if (target?.kind === 'heading')
    return <a href={`#${encodeURIComponent(target.id)}`}>{children}</a>
  if (target?.kind === 'file' && renderFileLink) return renderFileLink(target.path, children)
  return <span title={`This link is not followed: ${node.url ?? ''}`}>{children}</span>
}
