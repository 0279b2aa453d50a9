import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { existsInRepository, LINKED, listAnchors, listLinks } from './documents.ts'

/** The complaint about a link, or undefined where it leads to a file and a heading. */
function checkLink(document: string, url: string): string | undefined {
  if (/^https?:/.test(url)) return undefined
  const [path = '', anchor] = url.split('#')
  const target = path === '' ? document : normalize(join(dirname(document), path))
  if (!existsInRepository(target)) return `${url}: there is no ${target}`
  if (anchor === undefined || listAnchors(target).includes(anchor)) return undefined
  return `${url}: ${target} has no heading "${anchor}"`
}

describe('links between documents', () => {
  it.each(LINKED)('%s links to files and headings that exist', (document) => {
    const complaints = listLinks(document).map(({ url }) => checkLink(document, url))
    expect(complaints.filter((complaint) => complaint !== undefined)).toEqual([])
  })

  it('a link to a missing file or heading is reported', () => {
    expect(checkLink('docs/index.md', './nothing.md')).toContain('docs/nothing.md')
    expect(checkLink('docs/index.md', './running.md#nothing')).toContain('nothing')
    expect(checkLink('docs/index.md', './running.md#network')).toBeUndefined()
  })

  it('every page of docs/ is linked from its index', () => {
    const linked = listLinks('docs/index.md').map(({ url }) => `docs/${url.replace('./', '')}`)
    const pages = LINKED.filter((document) => /^docs\/[^/]+\.md$/.test(document))
    expect(pages.filter((page) => page !== 'docs/index.md' && !linked.includes(page))).toEqual([])
  })
})
