import { render } from 'preact'
import { App } from './app/app.tsx'
import { startLiveEvents } from './app/live-events.ts'
import { shareToken } from './app/shared-token.ts'
import { signIn } from './app/sign-in.ts'

// The token of a link leaves the address before anything else happens.
await signIn()
shareToken()
addEventListener('hashchange', () => void signIn())
const root = document.querySelector('#app')
if (root) render(<App />, root)
startLiveEvents()
