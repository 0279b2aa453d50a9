/** True for the address of the console and everything below it. */
export function isConsolePath(path: string): boolean {
  return path === '/console' || path.startsWith('/console/')
}

/**
 * True if a browser opens the console as a page of its own, as from a link in a chat. The files have
 * no data, so other sites may link to them; they can neither read nor frame them.
 */
export function isConsoleNavigation(
  { method, path }: { method: string; path: string },
  { mode, destination }: { mode: string | undefined; destination: string | undefined },
): boolean {
  const opensPage = mode === 'navigate' && destination === 'document'
  return method === 'GET' && opensPage && (path === '/' || isConsolePath(path))
}
