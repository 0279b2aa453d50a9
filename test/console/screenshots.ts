import { join } from 'node:path'
import type { Page } from 'playwright-core'

const WIDTHS = [1280, 360]

/**
 * Writes pictures of a page for people into the folder that SKILLS_SCREENSHOTS names, as
 * `<name>-<scheme>-<width>.png`. Takes none without it.
 */
export async function takeScreenshots(page: Page, name: string): Promise<void> {
  const folder = process.env['SKILLS_SCREENSHOTS']
  const size = page.viewportSize()
  if (!folder || !size) return
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: size.height })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const path = join(folder, `${name}-${colorScheme}-${width}.png`)
      await page.screenshot({ path, fullPage: true, animations: 'disabled', caret: 'hide' })
    }
  }
  await page.emulateMedia({ colorScheme: null })
  await page.setViewportSize(size)
}
