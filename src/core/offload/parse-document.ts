import type { Nodes, Root } from 'mdast'

/** Parses Markdown with tables and struck text. Positions are left out: readers do not need them. */
export async function parseDocument(text: string): Promise<Root> {
  const [{ fromMarkdown }, tables, tableNodes, struck, struckNodes] = await Promise.all([
    import('mdast-util-from-markdown'),
    import('micromark-extension-gfm-table'),
    import('mdast-util-gfm-table'),
    import('micromark-extension-gfm-strikethrough'),
    import('mdast-util-gfm-strikethrough'),
  ])
  const root = fromMarkdown(text, {
    extensions: [tables.gfmTable(), struck.gfmStrikethrough()],
    mdastExtensions: [
      tableNodes.gfmTableFromMarkdown(),
      struckNodes.gfmStrikethroughFromMarkdown(),
    ],
  })
  removePositions(root)
  return root
}

function removePositions(root: Root): void {
  const pending: Nodes[] = [root]
  for (let node = pending.pop(); node; node = pending.pop()) {
    delete node.position
    if ('children' in node) pending.push(...node.children)
  }
}
