import { useRef } from 'preact/hooks'
import { connection } from './api.ts'
import { storeToken } from './session-token.ts'

/** Asks for a token. It stays in this tab. */
export function LoginPage() {
  const field = useRef<HTMLInputElement>(null)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const text = field.current?.value.trim() ?? ''
    if (text === '') return
    storeToken(text)
    connection.value = 'ok'
  }
  return (
    <main class="login">
      <h1>This server needs a token</h1>
      <p>
        "skills serve" prints an address with a token on its terminal. Open that address, or enter a
        token of the token file. It stays in this tab.
      </p>
      <form onSubmit={submit}>
        <label for="token">Token</label>
        <input id="token" ref={field} type="password" autocomplete="off" autofocus required />
        <button type="submit">Open the console</button>
      </form>
    </main>
  )
}
