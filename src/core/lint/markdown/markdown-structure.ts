import type { Nodes } from 'mdast'
import { readMarkdown } from '../../skills/manifest/markdown-source.ts'
import { applyEdits, createOverlay } from '../fix/apply-edits.ts'
import type { Finding } from '../finding.ts'
import type { LintedSkill } from '../rule.ts'

/**
 * Removes findings whose edits change the structure of a Markdown file: a zero-width space may be
 * the only reason why a nested fence does not end its block.
 */
export async function filterStructureKept(
  findings: readonly Finding[],
  skill: Pick<LintedSkill, 'read'>,
): Promise<Finding[]> {
  let kept = [...findings]
  for (const file of listMarkdownFiles(findings)) {
    const before = skill.read(file)
    if (before === undefined) continue
    const structure = await describeStructure(before)
    const isKept = async (tried: readonly Finding[]) => {
      const overlay = createOverlay()
      applyEdits(tried, skill, overlay)
      const after = overlay.texts.get(file)
      if (after === undefined) return true
      return structure !== undefined && (await describeStructure(after)) === structure
    }
    if (await isKept(kept.filter((each) => changesFile(each, file)))) continue
    const refused = new Set<Finding>()
    for (const each of kept) {
      if (changesFile(each, file) && !(await isKept([each]))) refused.add(each)
    }
    const rest = kept.filter((each) => !refused.has(each))
    const isSafe = await isKept(rest.filter((each) => changesFile(each, file)))
    kept = isSafe ? rest : kept.filter((each) => !changesFile(each, file))
  }
  return kept
}

function listMarkdownFiles(findings: readonly Finding[]): Set<string> {
  const files = findings.flatMap(({ edits }) =>
    edits.flatMap((edit) => (edit.kind === 'replace' ? [edit.file] : [])),
  )
  return new Set(files.filter((file) => /\.(?:md|markdown)$/i.test(file)))
}

function changesFile({ edits }: Finding, file: string): boolean {
  return edits.some((edit) => edit.kind === 'replace' && edit.file === file)
}

/** Describes the blocks and inline elements of a body, without their words. */
async function describeStructure(text: string): Promise<string | undefined> {
  const { fromMarkdown } = await import('mdast-util-from-markdown')
  const { bodyStart } = readMarkdown('SKILL.md', text)
  try {
    return describeNode(fromMarkdown(text.slice(bodyStart)))
  } catch {
    // Too deeply nested for the parser.
    return undefined
  }
}

function describeNode(node: Nodes): string {
  if ('children' in node) {
    const level = node.type === 'heading' ? node.depth : ''
    const children = node.children.filter(({ type }) => type !== 'text')
    return `${node.type}${level}(${children.map(describeNode).join()})`
  }
  if (node.type === 'code') return `code:${node.lang ?? ''}:${node.value.split('\n').length}`
  return node.type
}
