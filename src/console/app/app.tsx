import { useEffect, useState } from 'preact/hooks'
import { connection } from './api.ts'
import { Navigation } from './navigation.tsx'
import { currentLocation } from './location.ts'
import { findPage, type PageDefinition } from './pages.ts'
import { LoginPage } from './login-page.tsx'
import { ErrorMessage } from '../components/error-message.tsx'
import { NotFound } from '../components/not-found.tsx'
import './theme.ts'

type Loaded = Awaited<ReturnType<PageDefinition['load']>>

export function App() {
  if (connection.value === 'token-required') return <LoginPage />
  return (
    <>
      <a class="skip-link" href="#main">
        Skip to the content
      </a>
      <Navigation />
      {connection.value === 'gone' && (
        <p class="banner" role="status">
          The server does not answer. The last data is shown, and the console asks again.
        </p>
      )}
      <main id="main" tabIndex={-1}>
        <CurrentPage />
      </main>
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
