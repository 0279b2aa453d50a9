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

/** Fails on findings of axe in both colour schemes, and if a narrow page scrolls sideways. */
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
  await page.setViewportSize(NARROW)
  const width = await page.evaluate<number>('document.documentElement.scrollWidth')
  if (width > NARROW.width) findings.push(`the page is ${width} px wide at ${NARROW.width} px`)
  if (size) await page.setViewportSize(size)
  return findings
}
