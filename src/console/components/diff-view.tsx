import { toPrintableLines } from '../../util/printable.ts'

const TONES: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '@': 'muted' }

/** A unified diff, with removed and added lines marked by their signs and colours. */
export function DiffView({ diff }: { diff: string }) {
  return (
    <pre class="diff" tabIndex={0} aria-label="Changes">
      {diff.split('\n').map((line, at) => (
        <div key={at} class={TONES[line.slice(0, 1)]}>
          {toPrintableLines(line) || ' '}
        </div>
      ))}
    </pre>
  )
}
