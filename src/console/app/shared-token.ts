import { acceptToken } from './sign-in.ts'
import { token } from './session-token.ts'

/** Messages between tabs of this page. Browsers deliver them to no page of another server. */
type TabMessage = { type: 'ask' } | { type: 'token'; token: string }

/**
 * Gives a new tab, as one that a link opened, the token of another tab of the console. Without a tab
 * that has one, the page asks for it.
 */
export function shareToken(): void {
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
