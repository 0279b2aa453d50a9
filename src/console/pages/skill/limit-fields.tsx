import { TimeoutField } from '../../components/form/timeout-field.tsx'
import { readTimeout } from '../../models/read-timeout.ts'

interface LimitFieldsProps {
  timeout: string
  onChange: (timeout: string) => void
}

/** Limits of the run that the caller may lower. */
export function LimitFields({ timeout, onChange }: LimitFieldsProps) {
  return (
    <details open={readTimeout(timeout) === 'invalid'}>
      <summary>Limits</summary>
      <TimeoutField id="timeout" text={timeout} onChange={onChange} />
    </details>
  )
}
