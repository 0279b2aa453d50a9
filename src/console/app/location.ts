import { signal } from '@preact/signals'

/** Path below which the server answers with the console. */
export const BASE = '/console'

interface PageLocation {
  /** Path below `/console`, such as `/skills/demo.greet`. */
  path: string
  search: URLSearchParams
}

export const currentLocation = signal<PageLocation>(readLocation())

function readLocation(): PageLocation {
  const path = location.pathname.slice(BASE.length) || '/'
  return { path, search: new URLSearchParams(location.search) }
}

addEventListener('popstate', () => (currentLocation.value = readLocation()))

/** Opens a page by its path below `/console`, with a new entry of the history. */
export function openPath(path: string): void {
  if (path === currentLocation.value.path + location.search) return
  history.pushState(null, '', BASE + path)
  currentLocation.value = readLocation()
  scrollTo(0, 0)
}

/**
 * Writes the state of a page into its address, so that the address shows the same again. An empty
 * value removes a parameter.
 */
export function changeSearch(changes: Readonly<Record<string, string | undefined>>): void {
  const search = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') search.delete(name)
    else search.set(name, value)
  }
  const text = search.toString()
  history.replaceState(null, '', location.pathname + (text === '' ? '' : `?${text}`))
  currentLocation.value = readLocation()
}
