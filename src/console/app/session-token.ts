import { signal } from '@preact/signals'

const KEY = 'skills.token'

/** The token of this tab. A tab keeps it until it is closed; no cookie exists, so no page can use it. */
export const token = signal<string | undefined>(readStored())

/** The reason why this tab has no token, if it had one or a link with one. */
export const tokenProblem = signal<string | undefined>()

/** Removes the token of a link from the fragment, which browsers never send, and returns it. */
export function takeTokenFromAddress(): string | undefined {
  const found = /^#token=([!-~]+)$/.exec(location.hash)?.[1]
  if (found !== undefined) history.replaceState(null, '', location.pathname + location.search)
  return found
}

export function storeToken(value: string): void {
  token.value = value
  tokenProblem.value = undefined
  try {
    sessionStorage.setItem(KEY, value)
  } catch {
    // Storage may be off; the token then lasts until the page is loaded again.
  }
}

/** Forgets a token that the server did not accept. */
export function forgetToken(): void {
  if (token.value === undefined) return
  token.value = undefined
  tokenProblem.value = 'The token of this tab is not accepted, or its session has ended'
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
