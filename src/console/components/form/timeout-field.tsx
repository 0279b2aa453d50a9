import { readTimeout } from '../../models/read-timeout.ts'

interface TimeoutFieldProps {
  id: string
  text: string
  onChange: (text: string) => void
}

/** The time limit of a run. An empty field leaves it to the server. */
export function TimeoutField({ id, text, onChange }: TimeoutFieldProps) {
  const isInvalid = readTimeout(text) === 'invalid'
  return (
    <div class="field">
      <label for={id}>Time limit in milliseconds</label>
      <input
        id={id}
        inputMode="numeric"
        value={text}
        placeholder="that of the server"
        aria-invalid={isInvalid}
        aria-describedby={isInvalid ? `${id}-problem` : undefined}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {isInvalid && (
        <p id={`${id}-problem`} class="tone-bad">
          Write a whole number above 0, or nothing.
        </p>
      )}
    </div>
  )
}
