import type { ConsoleSessions } from './console-sessions.ts'

/** Names of this machine for addresses that mean every one of its addresses. */
const OWN_ADDRESSES: Readonly<Record<string, string>> = {
  '//0.0.0.0:': '//127.0.0.1:',
  '//[::]:': '//[::1]:',
}

/** The address of the console for a browser of this machine. */
export function buildConsoleUrl(url: string): string {
  const own = url.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, (match) => OWN_ADDRESSES[match] ?? match)
  return `${own}/console/`
}

/** Shows a link to the console, and another one each time that one was used. */
export function showConsoleLinks(
  sessions: ConsoleSessions,
  consoleUrl: string,
  show: (link: string) => void,
): void {
  // Browsers send no fragment to a server, so the token is in no log.
  sessions.onOpened = () => show(`${consoleUrl}#token=${sessions.createLinkToken()}`)
  sessions.onOpened()
}
