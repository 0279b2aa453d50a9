import { useEffect, useState, useRef } from 'preact/hooks'
import { connection } from './api.ts'
import { Navigation } from './navigation.tsx'
import { currentLocation, openPath } from './location.ts'
import { findPage, type PageDefinition, PAGES } from './pages.ts'
import { ErrorMessage } from '../components/error-message.tsx'
import { Palette } from './palette.tsx'
import {
  handleKey,
  useShortcuts,
  type Shortcut,
  areLettersOn,
  shortcuts,
  switchLetters,
} from './shortcuts.ts'
import { switchTheme } from './theme.ts'
import { tokenProblem } from './session-token.ts'
import { acceptToken } from './sign-in.ts'
import { useTitle } from './use-title.ts'
import { Dialog } from '../components/dialog.tsx'
import { Link } from './link.tsx'

type Loaded = Awaited<ReturnType<PageDefinition['load']>>

const PAGE_SHORTCUTS: readonly Shortcut[] = PAGES.flatMap(({ shortcut, title, path }) =>
  shortcut === undefined
    ? []
    : [{ keys: `g ${shortcut}`, label: `Open ${title}`, run: () => openPath(path) }],
)

export function App() {
  const [overlay, setOverlay] = useState<'palette' | 'keys'>()
  useEffect(() => {
    addEventListener('keydown', handleKey)
    return () => removeEventListener('keydown', handleKey)
  }, [])
  useShortcuts([
    {
      keys: 'k',
      isCommand: true,
      label: 'Go to a page, skill or action',
      run: () => setOverlay('palette'),
    },
    { keys: '?', label: 'List the keys', run: () => setOverlay('keys') },
    { keys: 't', label: 'Switch between light and dark', run: switchTheme },
    ...PAGE_SHORTCUTS,
  ])
  const close = () => setOverlay(undefined)
  if (connection.value === 'token-required') return <LoginPage />
  return (
    <>
      <a class="skip-link" href="#main">
        Skip to the content
      </a>
      <Navigation onSearch={() => setOverlay('palette')} onKeys={() => setOverlay('keys')} />
      {connection.value === 'gone' && (
        <p class="banner" role="status">
          The server does not answer. The last data is shown, and the console asks again.
        </p>
      )}
      <main id="main" tabIndex={-1}>
        <CurrentPage />
      </main>
      {overlay === 'palette' && <Palette onClose={close} />}
      {overlay === 'keys' && <ShortcutSheet onClose={close} />}
    </>
  )
}

function CurrentPage() {
  const { path, search } = currentLocation.value
  const found = findPage(path)
  const page = found?.page
  const [loaded, setLoaded] = useState<{ id: string; module: Loaded }>()
  const [error, setError] = useState<unknown>()
  useTitle(page?.title)
  useEffect(() => {
    setError(undefined)
    page?.load().then((module) => setLoaded({ id: page.id, module }), setError)
  }, [page])
  if (!found) return <NotFound path={path} />
  if (error !== undefined) return <ErrorMessage error={error} />
  if (loaded?.id !== page?.id || loaded === undefined) return null
  const { Page } = loaded.module
  return (
    <>
      <WayBack page={found.page} />
      <Page params={found.params} search={search} />
    </>
  )
}

/** Leads from a page that the navigation does not have to its list. */
function WayBack({ page: { isInNavigation, path } }: { page: PageDefinition }) {
  const list = PAGES.find((each) => each.isInNavigation && each.path === path)
  if (isInNavigation || !list) return null
  return (
    <p class="way-back">
      <Link to={path}>← {list.title}</Link>
    </p>
  )
}

/** Asks for a token. It stays in this tab. */
function LoginPage() {
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

const FIXED: readonly Pick<Shortcut, 'keys' | 'label'>[] = [
  { keys: 'Escape', label: 'Close a dialog' },
  { keys: '← →', label: 'Move between tabs' },
]

/** Lists the keys of the current page. */
function ShortcutSheet({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <table class="keys">
        <tbody>
          {[...shortcuts.value, ...FIXED].map((each) => (
            <tr key={`${each.keys} ${each.label}`}>
              <th scope="row">
                <kbd>{formatKeys(each)}</kbd>
              </th>
              <td>{each.label}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <label>
        <input type="checkbox" checked={areLettersOn.value} onChange={switchLetters} /> Single
        letters are keys
      </label>
    </Dialog>
  )
}

function formatKeys({ keys, isCommand = false }: Pick<Shortcut, 'keys' | 'isCommand'>): string {
  const shown = keys === 'Enter' ? '⏎' : keys
  if (!isCommand) return shown
  return `${navigator.userAgent.includes('Mac') ? '⌘' : 'Ctrl+'}${shown.toUpperCase()}`
}

function NotFound({ path }: { path: string }) {
  return (
    <section>
      <h1>There is no page "{path}"</h1>
      <p>
        <Link to="/">All skills</Link>
      </p>
    </section>
  )
}
