import { render } from 'preact'
import { App } from './app/app.tsx'
import { startLiveEvents } from './app/live-events.ts'
import { signIn, acceptToken } from './app/sign-in.ts'
import { token } from './app/session-token.ts'

// The token of a link leaves the address before anything else happens.
await signIn()
shareToken()
addEventListener('hashchange', () => void signIn())
const root = document.querySelector('#app')
if (root) render(<App />, root)
startLiveEvents()

/** Messages between tabs of this page. Browsers deliver them to no page of another server. */
type TabMessage = { type: 'ask' } | { type: 'token'; token: string }

/**
 * Gives a new tab, as one that a link opened, the token of another tab of the console. Without a tab
 * that has one, the page asks for it.
 */
function shareToken(): void {
  const channel = new BroadcastChannel('skills.token')
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel, not a window
  const send = (message: TabMessage) => channel.postMessage(message)
  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    const own = token.peek()
    if (data.type === 'ask' && own !== undefined) send({ type: 'token', token: own })
    if (data.type === 'token' && own === undefined) acceptToken(data.token)
  })
  if (token.peek() === undefined) send({ type: 'ask' })
}
