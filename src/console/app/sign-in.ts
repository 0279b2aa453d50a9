import { connection } from './api.ts'
import { storeToken, takeTokenFromAddress, tokenProblem } from './session-token.ts'

/** Statuses of a server that accepts links, but not this one. */
const REFUSED = new Set([401, 429])

/**
 * Exchanges the token of a link for that of a session. The address has the token only until this is
 * called. Servers that require no token do not know links.
 */
export async function signIn(): Promise<void> {
  const linkToken = takeTokenFromAddress()
  if (linkToken === undefined) return
  try {
    const response = await fetch('/console/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: linkToken }),
    })
    const answer = (await response.json()) as SessionAnswer
    if (answer.token !== undefined) acceptToken(answer.token)
    else if (REFUSED.has(response.status)) tokenProblem.value = describeRefusal(answer)
  } catch {
    tokenProblem.value = 'The server did not answer. Open the link again'
  }
}

/** Uses a token from now on. */
export function acceptToken(value: string): void {
  storeToken(value)
  connection.value = 'ok'
}

interface SessionAnswer {
  token?: string
  error?: { message: string; hint?: string }
}

function describeRefusal({ error }: SessionAnswer): string {
  return [error?.message, error?.hint].filter((each) => each !== undefined).join('. ')
}
