import { toPrintable, toPrintableLines } from '../../../util/printable.ts'
import { formatChoice, type FormInput } from '../../models/input-form.ts'
import { BlobField } from './blob-field.tsx'

interface InputFieldProps {
  input: FormInput
  /** Undefined if the field is not passed. */
  text: string | undefined
  problem: string | undefined
  onChange: (text: string | undefined) => void
}

/** One input of a form, with the control that fits its type. */
export function InputField({ input, text, problem, onChange }: InputFieldProps) {
  const id = `input-${input.name}`
  const notes = [input.description === null ? '' : `${id}-help`, problem ? `${id}-problem` : '']
  return (
    <div class="field">
      <label for={id}>
        {toPrintable(input.name)} <span class="muted">{input.type}</span>
        {input.required && <span class="tone-bad"> required</span>}
      </label>
      <FieldControl
        {...{ id, input, text, onChange }}
        describedBy={notes.filter(Boolean).join(' ') || undefined}
        isInvalid={problem !== undefined}
      />
      {input.description !== null && (
        <p id={`${id}-help`} class="muted">
          {toPrintableLines(input.description)}
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

interface ControlProps {
  id: string
  input: FormInput
  text: string | undefined
  describedBy: string | undefined
  isInvalid: boolean
  onChange: (text: string | undefined) => void
}

const LONG_TYPES = new Set(['object', 'array', 'any'])

function FieldControl({ id, input, text, describedBy, isInvalid, onChange }: ControlProps) {
  const common = {
    id,
    'aria-describedby': describedBy,
    'aria-invalid': isInvalid,
    value: text ?? '',
  }
  const read = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value)
  if (input.enum || input.type === 'boolean') {
    const choices = input.enum?.map(formatChoice) ?? ['true', 'false']
    return (
      <select
        {...common}
        onChange={(event) =>
          onChange(event.currentTarget.value === '' ? undefined : event.currentTarget.value)
        }
      >
        <option value="">not passed</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {toPrintable(choice)}
          </option>
        ))}
      </select>
    )
  }
  if (input.type === 'blob') return <BlobField {...{ id, describedBy, text, onChange }} />
  if (LONG_TYPES.has(input.type)) {
    return (
      <textarea
        {...common}
        rows={4}
        class="mono"
        onInput={(event) => onChange(event.currentTarget.value || undefined)}
      />
    )
  }
  const isEmptyAllowed = input.type === 'string'
  return (
    <input
      {...common}
      inputMode={isEmptyAllowed ? 'text' : 'decimal'}
      autocomplete="off"
      onInput={isEmptyAllowed ? read : (event) => onChange(event.currentTarget.value || undefined)}
    />
  )
}
