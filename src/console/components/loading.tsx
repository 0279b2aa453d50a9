import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { EmptyState } from './empty-state.tsx'
import { ErrorMessage } from './error-message.tsx'

/** A skeleton would only flash if an answer comes sooner. */
const DELAY_MS = 150

interface LoadingProps<Data> {
  state: { data: Data | undefined; error: unknown }
  label: string
  children: (data: Data) => ComponentChildren
}

/** Shows data, or why there is none. Data stays in view while newer data fails to load. */
export function Loading<Data>({ state: { data, error }, label, children }: LoadingProps<Data>) {
  const isRefused = (error as { data?: { kind?: string } } | undefined)?.data?.kind === 'auth/scope'
  if (isRefused) {
    return (
      <EmptyState title="This token may not see it: it lacks a scope.">
        <p>Add the scope to the line of the token, such as "read,run,write,operate".</p>
      </EmptyState>
    )
  }
  return (
    <>
      {error !== undefined && <ErrorMessage error={error} />}
      {data === undefined ? error === undefined && <Skeleton label={label} /> : children(data)}
    </>
  )
}

function Skeleton({ label }: { label: string }) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  if (!isShown) return null
  return (
    <div class="skeleton" role="status">
      Loading {label}
    </div>
  )
}
