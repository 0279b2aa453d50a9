import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Success criteria of WCAG 2.2, levels A and AA. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
/** WCAG 1.4.10 asks for pages that scroll in one direction at this width. */
const NARROW = { width: 320, height: 640 }

const RUN_AXE = `axe.run(document, { runOnly: ${JSON.stringify(TAGS)}, resultTypes: ['violations'] })
  .then(({ violations }) => violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => id + ': ' + help + '\\n' + html + '\\n' + failureSummary)))`

/** Fails on findings of axe in both colour schemes, on texts that overlap, and if a narrow page scrolls sideways. */
export async function checkAccessibility(page: Page): Promise<void> {
  expect(await listFindings(page)).toEqual([])
}

/** Findings of the current page, with the element of each. */
export async function listFindings(page: Page): Promise<string[]> {
  const size = page.viewportSize()
  const findings: string[] = []
  // Scripts of a test run although the policy of the page allows none but its own.
  await page.evaluate(axe.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const found = await page.evaluate<string[]>(RUN_AXE)
    findings.push(...found.map((each) => `${colorScheme}: ${each}`))
  }
  await page.emulateMedia({ colorScheme: null })
  findings.push(...(await listOverlaps(page)))
  await page.setViewportSize(NARROW)
  const width = await page.evaluate<number>('document.documentElement.scrollWidth')
  if (width > NARROW.width) findings.push(`the page is ${width} px wide at ${NARROW.width} px`)
  findings.push(...(await listOverlaps(page)))
  if (size) await page.setViewportSize(size)
  return findings
}

/** Pairs of texts that cover each other, as far as they can be seen. */
async function listOverlaps(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`(${FIND_OVERLAPS})()`)
}

/** Runs in the page. Boxes of lines overlap by a pixel or two, because letters are lower than their line. */
const FIND_OVERLAPS = `() => {
  const MARGIN = 3
  const clip = (box, element) => {
    for (let each = element; each; each = each.parentElement) {
      const { overflowX, overflowY, clipPath, position, visibility, opacity } = getComputedStyle(each)
      if (clipPath !== 'none' || visibility === 'hidden' || opacity === '0') return undefined
      if (overflowX !== 'visible' || overflowY !== 'visible') {
        const { left, top, right, bottom } = each.getBoundingClientRect()
        box = {
          left: Math.max(box.left, left), top: Math.max(box.top, top),
          right: Math.min(box.right, right), bottom: Math.min(box.bottom, bottom),
        }
      }
      if (position === 'fixed') break
    }
    return box.right - box.left > MARGIN && box.bottom - box.top > MARGIN ? box : undefined
  }
  const texts = []
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const { parentElement: parent } = node
    // What a closed part hides has boxes, too.
    if (node.data.trim() === '' || !parent.checkVisibility() || parent.closest('dialog, .skip-link')) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    for (const rect of range.getClientRects()) {
      const box = clip(rect, parent)
      if (box) texts.push({ box, node })
    }
  }
  texts.sort((a, b) => a.box.top - b.box.top)
  const found = []
  texts.forEach((one, at) => {
    for (const other of texts.slice(at + 1)) {
      if (other.box.top >= one.box.bottom - MARGIN) break
      if (other.node === one.node) continue
      const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left)
      const height = Math.min(one.box.bottom, other.box.bottom) - other.box.top
      if (width > MARGIN && height > MARGIN) {
        found.push('overlapping texts at ' + innerWidth + ' px: "' + one.node.data.trim().slice(0, 40) +
          '" and "' + other.node.data.trim().slice(0, 40) + '"')
      }
    }
  })
  return found
}`
