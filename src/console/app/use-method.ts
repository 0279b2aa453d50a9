import type { ReadonlySignal } from '@preact/signals'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { MethodParams, MethodResult } from '../../core/methods/define-method.ts'
import type { Definitions } from '../../core/methods/definitions.ts'
import { callMethod } from './api.ts'
import { RepeatedCall, type CallChange } from './repeated-call.ts'
import { token } from './session-token.ts'

/** Result of a method in a page. The last result stays while a newer one is asked for, or fails. */
export interface MethodState<Result> {
  data: Result | undefined
  error: unknown
  isLoading: boolean
  reload: () => void
}

interface UseMethodOptions {
  /** The method is called again when this number grows, as `skillChanges` does. */
  changes?: ReadonlySignal<number>
  /** True if the result of other parameters stays until that of the current ones is here, as in a search. */
  keepsOld?: boolean
}

interface AnsweredCall<Result> extends CallChange<Result> {
  /** Parameters of the last call, and those of the data. */
  key: string
  dataKey?: string
}

/**
 * Calls a method when its parameters change, and again while the server does not answer. Without
 * parameters nothing is called.
 */
// eslint-disable-next-line max-params -- the method, its parameters, and when it is called again
export function useMethod<Name extends keyof Definitions>(
  method: Name,
  params: MethodParams<Definitions[Name]> | undefined,
  { changes, keepsOld = false }: UseMethodOptions = {},
): MethodState<MethodResult<Definitions[Name]>> {
  type Result = MethodResult<Definitions[Name]>
  const key = JSON.stringify([method, params])
  const [state, setState] = useState<AnsweredCall<Result>>({ key, isLoading: true })
  const current = useRef<RepeatedCall<Result>>(undefined)
  const secret = token.value
  useEffect(() => {
    if (params === undefined) return undefined
    const repeated = new RepeatedCall<Result>(
      async (signal) => await callMethod(method, params, { signal }),
      (change) => setState((before) => applyChange(before, key, change)),
    )
    current.current = repeated
    repeated.request()
    return () => {
      repeated.stop()
      current.current = undefined
    }
    // The key has the content of the parameters, which are a new object in every rendering.
  }, [key, secret])
  const reload = useCallback(() => current.current?.request(), [])
  const version = changes?.value
  const seen = useRef(version)
  useEffect(() => {
    if (seen.current === version) return
    seen.current = version
    reload()
  }, [version])
  const isCurrent = state.key === key
  return {
    data: keepsOld || state.dataKey === key ? state.data : undefined,
    error: isCurrent ? state.error : undefined,
    isLoading: !isCurrent || state.isLoading,
    reload,
  }
}

/** An error of other parameters is no error of these. */
// eslint-disable-next-line max-params -- the state, the parameters and the change
function applyChange<Result>(
  before: AnsweredCall<Result>,
  key: string,
  change: CallChange<Result>,
): AnsweredCall<Result> {
  const kept = before.key === key ? before : { ...before, error: undefined }
  return { ...kept, ...change, key, ...('data' in change && { dataKey: key }) }
}
