import { readTimeout } from '../../models/read-timeout.ts'

interface LimitFieldsProps {
  timeout: string
  onChange: (timeout: string) => void
}

/** Limits of the run that the caller may lower. */
export function LimitFields({ timeout, onChange }: LimitFieldsProps) {
  const isInvalid = readTimeout(timeout) === 'invalid'
  return (
    <details open={isInvalid}>
      <summary>Limits</summary>
      <label for="timeout">Time limit in milliseconds</label>
      <input
        id="timeout"
        inputMode="numeric"
        value={timeout}
        placeholder="that of the server"
        aria-invalid={isInvalid}
        aria-describedby={isInvalid ? 'timeout-problem' : undefined}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {isInvalid && (
        <p id="timeout-problem" class="tone-bad">
          Write a whole number above 0, or nothing.
        </p>
      )}
    </details>
  )
}
