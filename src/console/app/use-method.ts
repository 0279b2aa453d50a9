import type { ReadonlySignal } from '@preact/signals'
import { useCallback, useEffect, useState } from 'preact/hooks'
import type { MethodParams, MethodResult } from '../../core/methods/define-method.ts'
import type { Definitions } from '../../core/methods/definitions.ts'
import { callMethod } from './api.ts'
import { token } from './session-token.ts'

/** Result of a method in a page. The last result stays while a newer one is asked for, or fails. */
export interface MethodState<Result> {
  data: Result | undefined
  error: unknown
  isLoading: boolean
  reload: () => void
}

const FIRST_RETRY_MS = 1000
const LONGEST_RETRY_MS = 30_000

/**
 * Calls a method when its parameters change, and again with growing pauses while the server does not
 * answer. Without parameters nothing is called. With a number of changes, such as `skillChanges`, it is
 * called again when that grows.
 */
// eslint-disable-next-line max-params -- the method, its parameters, and the changes that concern it
export function useMethod<Name extends keyof Definitions>(
  method: Name,
  params: MethodParams<Definitions[Name]> | undefined,
  changes?: ReadonlySignal<number>,
): MethodState<MethodResult<Definitions[Name]>> {
  const [state, setState] = useState<{
    data?: MethodResult<Definitions[Name]>
    error?: unknown
    isLoading: boolean
  }>({ isLoading: true })
  const [round, setRound] = useState(0)
  const key = JSON.stringify(params)
  const secret = token.value
  const version = changes?.value
  useEffect(() => {
    if (params === undefined) return undefined
    const aborted = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const ask = async (retryMs: number) => {
      setState((before) => ({ ...before, isLoading: true }))
      try {
        const data = await callMethod(method, params, { signal: aborted.signal })
        setState({ data, isLoading: false })
      } catch (error) {
        if (aborted.signal.aborted) return
        setState((before) => ({ ...before, error, isLoading: false }))
        if ((error as Error).name !== 'ConnectionError') return
        const nextMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)
        timer = setTimeout(() => void ask(nextMs), retryMs)
      }
    }
    void ask(FIRST_RETRY_MS)
    return () => {
      aborted.abort()
      clearTimeout(timer)
    }
    // The key has the content of the parameters, which are a new object in every rendering.
  }, [method, key, round, secret, version])
  const reload = useCallback(() => setRound((count) => count + 1), [])
  return { data: state.data, error: state.error, isLoading: state.isLoading, reload }
}
