import type { ComponentChildren } from 'preact'

interface FormFieldProps {
  id: string
  label: string
  /** Help about the value, read with its label. */
  help?: string | undefined
  problem?: string | undefined
  children: ComponentChildren
}

/** A label, a control and its notes. The control names the notes with `describeField`. */
export function FormField({ id, label, help, problem, children }: FormFieldProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {help !== undefined && (
        <p id={`${id}-help`} class="muted">
          {help}
        </p>
      )}
      {problem !== undefined && (
        <p id={`${id}-problem`} class="tone-bad">
          {problem}
        </p>
      )}
    </div>
  )
}

/** Attributes of the control of a field. */
export function describeField({ id, help, problem }: Omit<FormFieldProps, 'label' | 'children'>) {
  const notes = [help === undefined ? '' : `${id}-help`, problem ? `${id}-problem` : '']
  return {
    id,
    'aria-describedby': notes.filter(Boolean).join(' ') || undefined,
    'aria-invalid': problem !== undefined,
  }
}
