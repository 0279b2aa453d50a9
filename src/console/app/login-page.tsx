import { useRef } from 'preact/hooks'
import { tokenProblem } from './session-token.ts'
import { acceptToken } from './sign-in.ts'

/** Asks for a token. It stays in this tab. */
export function LoginPage() {
  const field = useRef<HTMLInputElement>(null)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const text = field.current?.value.trim() ?? ''
    if (text !== '') acceptToken(text)
  }
  return (
    <main class="login">
      <h1>This server needs a token</h1>
      {tokenProblem.value !== undefined && (
        <p class="error" role="alert">
          {tokenProblem.value}
        </p>
      )}
      <p>
        "skills serve" prints a link to the console on its terminal. Open that link, or enter a
        token of the token file. The token stays in the tabs of the console, until they are closed.
      </p>
      <form onSubmit={submit}>
        <label for="token">Token</label>
        <input id="token" ref={field} type="password" autocomplete="off" autofocus required />
        <button type="submit">Open the console</button>
      </form>
    </main>
  )
}
