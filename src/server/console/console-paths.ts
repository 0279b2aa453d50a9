/** Paths below /console that are no files. */
export const CONSOLE_EVENTS = '/console/events'
export const CONSOLE_SESSION = '/console/session'

/** The parts of a request that decide whether it asks for a file of the console. */
interface FileRequest {
  path: string
  accept: string | undefined
}

/**
 * True for requests that need no token: the files of the console are the same for everyone, and have
 * no data. The root is one of them for browsers only.
 */
export function isConsoleFile({ path, accept }: FileRequest): boolean {
  if (path === '/') return acceptsHtml(accept)
  if (path === CONSOLE_EVENTS || path === CONSOLE_SESSION) return false
  return path === '/console' || path.startsWith('/console/')
}

/**
 * True if a browser opens the console as a page of its own, as from a link in a chat. Other sites may
 * link to the files; they can neither read nor frame them.
 */
export function isConsoleNavigation(
  { method, path }: { method: string; path: string },
  { mode, destination }: { mode: string | undefined; destination: string | undefined },
): boolean {
  const opensPage = method === 'GET' && mode === 'navigate' && destination === 'document'
  return opensPage && isConsoleFile({ path, accept: 'text/html' })
}

export function acceptsHtml(accept: string | undefined): boolean {
  return accept?.split(',').some((each) => /^text\/html(?:$|;)/i.test(each.trim())) === true
}
