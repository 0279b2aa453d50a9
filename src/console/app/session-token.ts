import { signal } from '@preact/signals'

const KEY = 'skills.token'

/** The token of this tab. A tab keeps it until it is closed; no cookie exists, so no page can use it. */
export const token = signal<string | undefined>(readStored())

/** Moves a token from the fragment, which browsers never send, into the tab. */
export function takeTokenFromAddress(): void {
  const found = /^#token=([!-~]+)$/.exec(location.hash)?.[1]
  if (found === undefined) return
  history.replaceState(null, '', location.pathname + location.search)
  storeToken(found)
}

export function storeToken(value: string): void {
  token.value = value
  try {
    sessionStorage.setItem(KEY, value)
  } catch {
    // Storage may be off; the token then lasts until the page is loaded again.
  }
}

export function forgetToken(): void {
  token.value = undefined
  try {
    sessionStorage.removeItem(KEY)
  } catch {
    // Nothing is stored then.
  }
}

function readStored(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined
  } catch {
    return undefined
  }
}
