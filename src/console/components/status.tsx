const MARKS: Readonly<Record<string, readonly [mark: string, tone: string]>> = {
  completed: ['✓', 'good'],
  success: ['✓', 'good'],
  passed: ['✓', 'good'],
  ok: ['✓', 'good'],
  allowed: ['✓', 'good'],
  pass: ['✓', 'good'],
  running: ['●', 'accent'],
  queued: ['○', 'accent'],
  cancelled: ['■', 'warning'],
  warning: ['▲', 'warning'],
  ask: ['▲', 'warning'],
  interrupted: ['■', 'warning'],
  info: ['i', 'muted'],
}

/** A state as a mark and a word: colour is never the only sign. */
export function Status({ value, text = value }: { value: string; text?: string }) {
  const [mark, tone] = MARKS[value] ?? ['✗', 'bad']
  return (
    <span class={`status tone-${tone}`}>
      <span aria-hidden="true">{mark}</span> {text}
    </span>
  )
}
