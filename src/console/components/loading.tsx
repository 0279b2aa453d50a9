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
  const { kind, scope } =
    (error as { data?: { kind?: string; scope?: string } } | undefined)?.data ?? {}
  if (kind === 'auth/scope') return <RefusedScope label={label} scope={scope ?? 'operate'} />
  return (
    <>
      {error !== undefined && <ErrorMessage error={error} />}
      {data === undefined ? error === undefined && <Skeleton label={label} /> : children(data)}
    </>
  )
}

function RefusedScope({ label, scope }: { label: string; scope: string }) {
  const scopes = [...new Set(['read', 'run', 'write', scope])].join(',')
  return (
    <EmptyState title={`This token may not see ${label}: it lacks the scope "${scope}".`}>
      <p>
        The operator of the server adds it to the line of the token: <code>{`… ${scopes}`}</code>
      </p>
    </EmptyState>
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
