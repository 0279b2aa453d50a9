import { useEffect, useState } from 'preact/hooks'
import { connection } from './api.ts'
import { Navigation } from './navigation.tsx'
import { currentLocation } from './location.ts'
import { findPage, type PageDefinition } from './pages.ts'
import { LoginPage } from './login-page.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { NotFound } from '../components/not-found.tsx'
import { Palette } from './palette.tsx'
import { openPath } from './location.ts'
import { PAGES } from './pages.ts'
import { ShortcutSheet } from './shortcut-sheet.tsx'
import { handleKey, useShortcuts, type Shortcut } from './shortcuts.ts'
import { switchTheme } from './theme.ts'

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
  useEffect(() => {
    document.title = page ? `${page.title} · skills` : 'skills'
    setError(undefined)
    page?.load().then((module) => setLoaded({ id: page.id, module }), setError)
  }, [page])
  if (!found) return <NotFound path={path} />
  if (error !== undefined) return <ErrorMessage error={error} />
  if (loaded?.id !== page?.id || loaded === undefined) return null
  const { Page } = loaded.module
  return <Page params={found.params} search={search} />
}
