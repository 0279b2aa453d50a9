import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openAddress } from '../../core/host-programs/open-address.ts'
import { escapeXml } from '../../util/xml.ts'
import type { Context } from '../context.ts'

/** The links to the console that a server shows, each of which is a secret. */
export interface ConsoleLinks {
  /** Receives links; undefined without a terminal, where a link would be kept in a file or log. */
  show: ((link: string) => void) | undefined
  readonly last: string | undefined
  /** Prints later links, after the first one was printed with the other facts of the server. */
  printNext(): void
}

export function createConsoleLinks(context: Context): ConsoleLinks {
  const { json, quiet } = context.global
  const isShown = context.stderr.isTTY === true && !json && !quiet
  let last: string | undefined
  let isPrinting = false
  const show = (link: string) => {
    last = link
    if (isPrinting) context.note(`The console was opened. Link for another browser:\n  ${link}`)
  }
  return {
    show: isShown ? show : undefined,
    get last() {
      return last
    },
    printNext: () => void (isPrinting = true),
  }
}

/**
 * Opens the console in a browser, or explains why that is not possible. Returns a function that removes
 * the file with the link.
 */
export async function openConsoleInBrowser(
  context: Context,
  { url, link }: { url: string; link: string | undefined },
): Promise<() => void> {
  if (context.stderr.isTTY !== true) {
    context.note(`No browser is opened without a terminal. Open ${url}`)
    return () => {}
  }
  const page = link === undefined ? undefined : writeLinkPage(link)
  const problem = await openAddress(page?.address ?? url, { env: context.env })
  const advice = link === undefined ? `Open ${url}` : 'Open the link to the console'
  if (problem !== undefined) context.note(`No browser was opened: ${problem}. ${advice}`)
  return () => page?.remove()
}

/**
 * Writes a page that leads to a link. Only this user can read it, while arguments of programs are
 * visible to every user of this machine.
 */
export function writeLinkPage(link: string): { address: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'skills-console-'))
  const file = join(folder, 'console.html')
  const target = escapeXml(link)
  const refresh = `<meta http-equiv="refresh" content="0; url=${target}">`
  const head = `<meta charset="utf-8"><title>skills</title>${refresh}`
  writeFileSync(file, `<!doctype html>${head}<a href="${target}">Open the console</a>\n`, {
    mode: 0o600,
  })
  return {
    address: pathToFileURL(file).href,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
