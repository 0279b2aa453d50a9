import { useState } from 'preact/hooks'
import { toPrintableLines } from '../../util/printable.ts'

interface JsonViewProps {
  value: unknown
  /** Name of the value in its parent. */
  name?: string | undefined
  /** Levels that are open at first. */
  depth?: number
}

/** Members that are shown before "show all". */
const MEMBERS = 100
const MAX_TEXT = 10_000

/** A JSON value as a tree. */
export function JsonView({ value, name, depth = 2 }: JsonViewProps) {
  if (typeof value !== 'object' || value === null) {
    return (
      <div class="json-leaf">
        <JsonName name={name} />
        <JsonLeaf value={value} />
      </div>
    )
  }
  return <JsonBranch value={value} name={name} depth={depth} />
}

function JsonBranch({
  value,
  name,
  depth,
}: {
  value: object
  name: string | undefined
  depth: number
}) {
  const members = Object.entries(value)
  const [isOpen, setOpen] = useState(depth > 0)
  const [showsAll, setShowsAll] = useState(false)
  const shown = showsAll ? members : members.slice(0, MEMBERS)
  const kind = Array.isArray(value) ? `[${members.length}]` : `{${members.length}}`
  return (
    <details
      class="json-branch"
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <JsonName name={name} />
        <span class="muted">{kind}</span>
      </summary>
      {isOpen &&
        shown.map(([key, each]) => (
          <JsonView key={key} name={key} value={each} depth={depth - 1} />
        ))}
      {isOpen && shown.length < members.length && (
        <button type="button" class="quiet" onClick={() => setShowsAll(true)}>
          Show all {members.length}
        </button>
      )}
    </details>
  )
}

function JsonName({ name }: { name: string | undefined }) {
  return name === undefined ? null : <span class="json-name">{toPrintableLines(name)}: </span>
}

function JsonLeaf({ value }: { value: unknown }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const cut = text.length > MAX_TEXT
  return (
    <span class={`json-${value === null ? 'null' : typeof value}`}>
      {typeof value === 'string' ? JSON.stringify(toPrintableLines(text.slice(0, MAX_TEXT))) : text}
      {cut && <span class="muted"> … {text.length - MAX_TEXT} more characters</span>}
    </span>
  )
}
